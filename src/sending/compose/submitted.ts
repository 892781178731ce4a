// A message that was submitted over SMTP becomes mails: its header with ours in it, and the HTML part with its links where opens
// and clicks are followed. Everything else stays as it is, byte for byte.
import { Readable } from "node:stream";
import type { Context } from "../../context.ts";
import { type HeaderField, fieldsOf, valueOf } from "../../mail/fields.ts";
import { deliverabilityHeaders, type MailKind } from "../../mail/headers.ts";
import type { Attachment, ReadyMail, StreamedMail } from "../../mail/mailer.ts";
import { isText, type MimePart, mimePartsOf, sizeOf, partText, bytesOf } from "../../mail/mime_parts.ts";
import { MESSAGE_ID } from "../../mail/submitted.ts";
import { encodeText } from "../../mail/text_part.ts";
import { followHtml } from "./followed_mail.ts";
import { messageIdOf } from "./message_id.ts";
import type { MessageOfMail } from "./message_of_mail.ts";

/** What is known of a message besides its source. */
interface Known extends MailKind {
  subject: string;
  fromEmail: string;
}

/** One of its mails. */
interface MailOfSubmitted {
  emailId: string;
  message?: MessageOfMail | null;
}

/** What is followed; null for nothing. */
type Follows = Parameters<typeof followHtml>[3] | null;

/** How `attachments` say that one is the whole message. */
export const WHOLE_MESSAGE = "message";

/** Larger messages are written while they are sent: twenty in progress must not be held twice. */
const MAX_HELD_BYTES = 262_144;
const PIECE_BYTES = 65_536;
/** The HTML of a longer one is sent as it is. */
const MAX_FOLLOWED_BYTES = 2_097_152;
const HEAD_END = "\r\n\r\n";
const REPLACED = /^content-(type|transfer-encoding)$/;
/** Shown beside the header, or about the parts. */
const NOT_SHOWN = /^(from|to|subject|reply-to|date|mime-version|received|content-.*|)$/;

/** The whole message among the files of a content, or null. */
export function submittedAmong(attachments: readonly Attachment[]): Buffer | null {
  const file = attachments.find(({ disposition }) => (disposition as string) === WHOLE_MESSAGE);
  return file ? Buffer.from(file.content.buffer, file.content.byteOffset, file.content.byteLength) : null;
}

/** Prepares a message for all its mails; returns what makes one of them. */
export function prepareSubmitted(
  ctx: Context,
  content: Known,
  source: Buffer,
  follows: Follows,
): (mail: MailOfSubmitted, envelope: ReadyMail["envelope"]) => ReadyMail | StreamedMail {
  const fields = fieldsOf(headOf(source));
  const own = messageIdIn(fields);
  const added = addedTo(fields, content);
  const followed = follows ? followedIn(ctx, content, source, follows) : null;
  return ({ emailId, message }, envelope) => {
    const messageId = own ?? messageIdOf(emailId, content.fromEmail, message?.idFrom);
    const top = own === null ? [`Message-ID: <${messageId}>`, ...added] : added;
    const pieces = [
      Buffer.from(top.map((line) => `${line}\r\n`).join(""), "latin1"),
      ...(followed?.(emailId) ?? [source]),
    ];
    const known = {
      origin: { projectId: content.projectId, emailId },
      messageId,
      envelope,
      subject: content.subject,
    };
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (bytes <= MAX_HELD_BYTES) return { ...known, source: Buffer.concat(pieces) };
    return { ...known, open: () => Readable.from(inPieces(pieces), { objectMode: false }) };
  };
}

/** What a message says: its texts, its own fields, and its files. */
export interface ShownSubmission {
  html: string;
  text: string;
  headers: Record<string, string>;
  attachments: { filename: string; contentType: string; disposition: string; size: number }[];
}

/** A message as it is read, to be looked at. */
export function showSubmitted(source: Buffer): ShownSubmission {
  const parts = partsOf(source);
  const shown = (type: "text/html" | "text/plain") => {
    const part = parts.find((each) => isText(each, type));
    return part ? partText(source, part) : "";
  };
  const fields = fieldsOf(headOf(source)).filter(({ name }) => !NOT_SHOWN.test(name));
  return {
    html: shown("text/html"),
    text: shown("text/plain"),
    headers: Object.fromEntries(fields.map((field) => [nameOf(field), valueOf(field)])),
    attachments: filesOf(parts).map((part) => ({
      filename: fileNameOf(part),
      contentType: part.type,
      disposition: part.disposition,
      size: sizeOf(part),
    })),
  };
}

/** One file of a message, by its place among those that {@linkcode showSubmitted} names; null if there is none. */
export function fileOfSubmitted(
  source: Buffer,
  index: number,
): { filename: string; content: Uint8Array } | null {
  const part = filesOf(partsOf(source))[index];
  return part ? { filename: fileNameOf(part), content: bytesOf(source, part) } : null;
}

/** All of them, as a request carries them. */
export function filesOfSubmitted(source: Buffer) {
  return filesOf(partsOf(source)).map((part) => {
    const contentId = contentIdOf(part);
    return {
      filename: fileNameOf(part),
      contentType: part.type,
      content: bytesOf(source, part).toString("base64"),
      ...(contentId && { contentId, disposition: part.disposition }),
    };
  });
}

function contentIdOf({ fields }: MimePart): string | null {
  const field = fields.find(({ name }) => name === "content-id");
  return field ? (/^<([^<>"\s]{1,255})>$/.exec(valueOf(field))?.[1] ?? null) : null;
}

function headOf(source: Buffer): string {
  const end = source.indexOf(HEAD_END);
  return source.toString("latin1", 0, end === -1 ? source.length : end);
}

/** Without angle brackets; null where it has none that can be kept. */
function messageIdIn(fields: HeaderField[]): string | null {
  const field = fields.find(({ name }) => name === "message-id");
  return field ? (MESSAGE_ID.exec(valueOf(field))?.[1] ?? null) : null;
}

/** Our fields, where the message does not have them. */
function addedTo(fields: HeaderField[], content: Known): string[] {
  const has = new Set(fields.map(({ name }) => name));
  return Object.entries(deliverabilityHeaders(content))
    .filter(([name]) => !has.has(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value}`);
}

/** The message in pieces, with the links of one mail in its HTML part; null where there is none that may change. */
function followedIn(
  ctx: Context,
  { projectId }: Known,
  source: Buffer,
  follows: NonNullable<Follows>,
): ((emailId: string) => Buffer[]) | null {
  const part = partsOf(source).find((each) => isText(each, "text/html"));
  if (!part || part.isSealed || part.end - part.bodyStart > MAX_FOLLOWED_BYTES) return null;
  const follower = followHtml(ctx, projectId, partText(source, part), follows);
  const kept = part.fields.filter(({ name }) => !REPLACED.test(name)).map(({ text }) => `${text}\r\n`);
  return (emailId) => {
    const { encoding, body } = encodeText(follower.complete(follower.html, emailId));
    const head =
      `${kept.join("")}Content-Type: text/html; charset=utf-8\r\n` +
      `Content-Transfer-Encoding: ${encoding}${HEAD_END}`;
    return [source.subarray(0, part.start), Buffer.from(head, "latin1"), body, source.subarray(part.end)];
  };
}

/** None where nobody could read them all. */
function partsOf(source: Buffer): MimePart[] {
  try {
    return mimePartsOf(source);
  } catch {
    return [];
  }
}

/** What is not shown as the text of the message. */
function filesOf(parts: MimePart[]): MimePart[] {
  const texts = [
    parts.find((part) => isText(part, "text/html")),
    parts.find((part) => isText(part, "text/plain")),
  ];
  return parts.filter((part) => !texts.includes(part));
}

function fileNameOf({ filename, type }: MimePart): string {
  return (
    filename?.replace(/["\\/]/g, "_").slice(0, 255) || (type === "message/rfc822" ? "message.eml" : "file")
  );
}

/** A name as it is written, which `name` is not. */
function nameOf({ text }: HeaderField): string {
  return text.slice(0, text.indexOf(":")).trim();
}

function* inPieces(buffers: Buffer[]): Generator<Buffer> {
  for (const buffer of buffers) {
    for (let at = 0; at < buffer.length; at += PIECE_BYTES) yield buffer.subarray(at, at + PIECE_BYTES);
  }
}
