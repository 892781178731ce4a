import type { Context } from "../context.ts";
import type { Mailer, MailerOptions } from "../mail/mailer.ts";
import { createSmtpMailer } from "../mail/smtp.ts";
import { createInboxMailer } from "../sending/captured/mod.ts";

/** What carries the mails of a transport away. Mails of CAPTURE come into the inbox. */
export function openMailer(on: Pick<Context, "sql">, { kind, url, connections }: MailerOptions): Mailer {
  if (kind === "CAPTURE") return createInboxMailer(on);
  return createSmtpMailer(url!, { connections });
}
