import type { SendMailOptions } from "nodemailer";
import { encodeText } from "./text_part.ts";
import { type Mail, REPLY_SEPARATOR } from "./mailer.ts";

/** What the mail library neither encodes nor keeps apart from the parts of the mail itself. */
const UNENCODED = /^\s*(message|multipart)\//i;

/**
 * The mail as the mail library takes it. It encodes names, subjects and files, and the text of a mail that is nothing else;
 * it may read no file and no URL.
 */
export function toMessage(mail: Mail): SendMailOptions {
  // For the library a text of ours that stands alone would be the whole message, with its header.
  const isAlone = mail.attachments.length === 0 && (mail.html === "" || mail.text === "");
  return {
    messageId: `<${mail.messageId}>`,
    envelope: { from: mail.envelope.from, to: [mail.envelope.to] },
    from: mail.from,
    ...(mail.named ? { to: [...mail.named.to], cc: [...mail.named.cc] } : { to: mail.to }),
    ...(mail.replyTo && {
      replyTo: mail.replyTo.split(REPLY_SEPARATOR).map((address) => ({ name: "", address })),
    }),
    subject: mail.subject,
    html: isAlone ? mail.html : inOurs("html", mail.html),
    text: isAlone ? mail.text : inOurs("plain", mail.text),
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
    textEncoding: "base64",
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function inOurs(subtype: "plain" | "html", text: string): { raw: string } | undefined {
  if (text === "") return undefined;
  const { encoding, body } = encodeText(text);
  const fields = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}`;
  return { raw: `${fields}\r\n\r\n${body.toString("latin1")}` };
}
