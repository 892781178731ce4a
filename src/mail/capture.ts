import MailComposer from "nodemailer/lib/mail-composer";
import type { Mailer } from "./mailer.ts";
import { toMessage } from "./message.ts";

/** A mail that was kept instead of sent. */
export interface CapturedMail {
  from: string;
  to: string;
  subject: string;
  /** The whole message as it would have gone over the wire (RFC 5322). */
  source: Buffer;
}

/** A mailer that keeps every mail with `store`, for a service that has no SMTP server yet. */
export function createCaptureMailer(store: (mail: CapturedMail) => Promise<void>): Mailer {
  return {
    connections: 4,
    async send(mail) {
      try {
        const source =
          "source" in mail ? mail.source : await new MailComposer(toMessage(mail)).compile().build();
        await store({ from: mail.envelope.from, to: mail.envelope.to, subject: mail.subject, source });
        return { state: "accepted", response: "Captured: set SMTP_URL to send for real" };
      } catch (error) {
        return {
          state: "deferred",
          response: `Cannot capture: ${(error as Error).message}`.slice(0, 500).toWellFormed(),
        };
      }
    },
    close() {},
  };
}
