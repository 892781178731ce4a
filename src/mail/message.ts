import type { SendMailOptions } from "nodemailer";
import type { Mail } from "./mailer.ts";

/** What the mail library neither encodes nor keeps apart from the parts of the mail itself. */
const UNENCODED = /^\s*(message|multipart)\//i;

/** The mail as the mail library takes it. It encodes names, subjects and bodies; it may read no file and no URL. */
export function toMessage(mail: Mail): SendMailOptions {
  return {
    messageId: `<${mail.messageId}>`,
    envelope: { from: mail.envelope.from, to: [mail.envelope.to] },
    from: mail.from,
    to: mail.to,
    ...(mail.replyTo && { replyTo: { name: "", address: mail.replyTo } }),
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    headers: { ...mail.headers },
    attachments: mail.attachments.map((attachment) => ({
      filename: attachment.filename,
      // A mail within a mail may have bytes and lines that no server accepts, and may not be encoded (RFC 2046 5.2.1).
      // So it is attached as an ordinary file; its name says what it is.
      contentType: UNENCODED.test(attachment.contentType)
        ? "application/octet-stream"
        : attachment.contentType,
      contentDisposition: attachment.disposition,
      // A view, not a copy: twenty mails in progress may carry the same file.
      content: Buffer.from(
        attachment.content.buffer,
        attachment.content.byteOffset,
        attachment.content.byteLength,
      ),
      ...(attachment.cid && { cid: attachment.cid }),
    })),
    date: mail.date,
    // Half the cost of quoted-printable, and no line can be too long.
    textEncoding: "base64",
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
