import MailComposer from "nodemailer/lib/mail-composer";
import type { Mail, Mailer, Origin, ReadyMail, StreamedMail } from "./mailer.ts";
import { toMessage } from "./message.ts";

/** A mail that was kept instead of sent. */
export interface CapturedMail {
  /** Null: a mail of the installation itself. */
  origin: Origin | null;
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
    async send(mail, mayEnd) {
      if (mayEnd && !(await mayEnd())) return { state: "withheld", response: "Not captured" };
      try {
        const { origin = null, envelope, subject } = mail;
        const source = await sourceOf(mail);
        await store({ origin, from: envelope.from, to: envelope.to, subject, source });
        return { state: "captured", response: "Captured: set SMTP_URL to send mail" };
      } catch (error) {
        return {
          state: "deferred",
          response: `Cannot capture: ${(error as Error).message}`.slice(0, 500).toWellFormed(),
        };
      }
    },
    reach: async () => null,
    close() {},
  };
}

async function sourceOf(mail: Mail | ReadyMail | StreamedMail): Promise<Buffer> {
  if ("source" in mail) return mail.source;
  if ("open" in mail) return Buffer.concat(await mail.open().toArray());
  return await new MailComposer(toMessage(mail)).compile().build();
}
