// A mail on its way to a server, and what the server's answer means for it.
import MailComposer from "nodemailer/lib/mail-composer";
import type { Failure } from "./_smtp_dialogue.ts";
import type { Message } from "./_smtp_message.ts";
import type { Handover, Mail, ReadyMail, StreamedMail } from "./mailer.ts";
import { toMessage } from "./message.ts";

/** What can be between the brackets of an SMTP command, and cannot end it. */
const PLAIN_ADDRESS = /^[!-;=?-~]+$/;

/** The refusal of a mail whose envelope cannot be told to a server; null where it can. */
export function unfitAddress(envelope: { from: string; to: string }): Handover | null {
  const unfit = Object.values(envelope).find((address) => !PLAIN_ADDRESS.test(address));
  return unfit === undefined ? null : { state: "refused", response: oneLine(`Not an address: ${unfit}`) };
}

/** A mail with attachments may be large, so it is written while it is sent. */
export function sourceOf(mail: Mail | ReadyMail | StreamedMail): Message {
  if ("source" in mail) return mail.source;
  if ("open" in mail) return () => mail.open();
  const message = new MailComposer(toMessage(mail)).compile();
  return () => message.createReadStream();
}

/** Tells what a failed handover means for the mail (guides/sending.md; RFC 5321 section 4.2, RFC 3463). */
export function handoverOf(failure: Failure): Handover {
  const response = wordsOf(failure);
  if (failure.isAboutUs) return { state: failure.isAboutUs, response };
  const { responseCode: code = 0, command = "", sent } = failure;
  // After the end of a message only a reply to it counts. Without one, or with an invalid one, the outcome is unknown.
  const isAnswer = code >= 400 && (sent !== "whole" || command === "DATA");
  if (!isAnswer) return { state: sent === "whole" ? "in_doubt" : "deferred", response };
  // A refusal that is about us and not about this mail (greeting, EHLO, STARTTLS, AUTH) may be fixed by tomorrow.
  const aboutMail = /^(MAIL FROM|RCPT TO|DATA)/.test(command);
  if (code < 500 || !aboutMail) {
    const isOfRecipient = command.startsWith("RCPT TO") && !/\b4\.\d{1,3}\.\d{1,3}\b/.test(response);
    return { state: "deferred", response, ...(isOfRecipient && { isOfRecipient }) };
  }
  return { state: isRecipientsFault(response, code, command) ? "bounced" : "refused", response };
}

/** The enhanced status code if there is one (x.1.1 bad mailbox, x.2.1 disabled …), else the reply to RCPT TO. */
function isRecipientsFault(response: string, code: number, command: string): boolean {
  const enhanced = /\b5\.(\d{1,3})\.(\d{1,3})\b/.exec(response);
  if (enhanced) {
    const [, subject, detail] = enhanced.map(Number);
    const aboutSender = subject === 1 && (detail === 7 || detail === 8);
    return (subject === 1 || subject === 2) && !aboutSender;
  }
  return command.startsWith("RCPT TO") && [550, 551, 552, 553].includes(code);
}

/** What was said, or what happened. */
export function wordsOf(failure: Failure): string {
  return oneLine(failure.response || failure.message || String(failure));
}

/** Remote text in one line: without control characters, and without half of a character where it is cut. */
export function oneLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 500)
    .toWellFormed();
}
