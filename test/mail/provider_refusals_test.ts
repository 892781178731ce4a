// Replies that are about the account at a provider, as the providers document them.
import { expect, test } from "bun:test";
import { refusalOf } from "../../src/mail/provider_refusals.ts";

test.each([
  ["454 Throttling failure: Maximum sending rate exceeded.", "RATE"],
  ["454 Throttling failure: Daily message quota exceeded.", "QUOTA"],
  ["554 Message rejected: Sending paused for this account. For more information, see …", "ACCOUNT"],
  [
    "550 5.4.5 Daily user sending limit exceeded. For more information on Gmail sending limits go to …",
    "QUOTA",
  ],
  ["454 4.7.0 Too many login attempts, please try again later.", "RATE"],
  ["432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded", "RATE"],
  [
    "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients",
    "QUOTA",
  ],
  ["550 5.1.8 Access denied, bad outbound sender", "ACCOUNT"],
  ["550 5.7.501 Access denied, spam abuse detected", "ACCOUNT"],
  ["451 Authentication failed: Maximum credits exceeded", "QUOTA"],
  ["550 Domain example.com is not allowed to send: request limit exceeded, try again later", "QUOTA"],
  ["535 5.7.8 Authentication credentials invalid", "ACCOUNT"],
  ["550 Account is pending approval", "ACCOUNT"],
])("%p is about the account", (reply, kind) => {
  expect(refusalOf(reply)).toBe(kind as never);
});

test.each([
  "250 2.0.0 OK: queued as 1, daily quota exceeded is a subject",
  "552 5.2.2 The email account that you tried to reach is over quota",
  "452 4.2.2 Mailbox full",
  "450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages",
  "550 5.1.1 The email account that you tried to reach does not exist",
  "550 5.2.1 The account is disabled",
  "550 5.1.1 Account suspended",
  "550 <5.7.501@example.com>: Recipient address rejected",
  "550 no mailbox here for 5.1.90@example.com",
  "421 4.7.0 Try again later, closing connection",
  "554 5.7.1 Message rejected as spam",
  "Connection timeout",
])("%p is about the mail, its recipient or the moment", (reply) => {
  expect(refusalOf(reply)).toBeNull();
});
