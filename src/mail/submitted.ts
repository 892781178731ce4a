// A message that somebody submits over SMTP, made ready to be stored and sent: what only the service may say is taken out or
// replaced, and what not every server on the way carries is encoded. Its parts stay what and where they are.
import { isAscii } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import { encodeWord, foldLines } from "nodemailer/lib/mime-funcs";
import MimeNode from "nodemailer/lib/mime-node";
import { addressParser, decodeWords } from "postal-mime";
import { parseAddress } from "./address.ts";
import { clean, type HeaderField, fieldsOf, rawValueOf, valueOf } from "./fields.ts";
import { type FixedMessage, fixLineEnds } from "./_line_ends.ts";
import { encodeText } from "./text_part.ts";
import { isText, type MimePart, mimePartsOf, partText, bytesOf, TooManyParts } from "./mime_parts.ts";

/** How a message came in, for its `Received` field. */
export interface Trace {
  /** How the client has named itself, and we are named. */
  from: string;
  by: string;
  /** Such as `ESMTPSA`. */
  protocol: string;
  at: Date;
}

/** A message as it is stored. */
export interface SubmittedMessage {
  from: { email: string; name: string | null };
  replyTo: string | null;
  subject: string;
  /** By address: those of To and Cc. */
  names: ReadonlyMap<string, string>;
  /** In which field the addresses of To and Cc are. */
  roles: ReadonlyMap<string, "to" | "cc">;
  /** The fields `X-Postrider-…`, by what is behind that, in lower case. They are in the source no more. */
  controls: ReadonlyMap<string, string>;
  /** In ASCII, CRLF at the end of each line, none longer than 998 bytes. */
  source: Buffer;
}

/** What is wrong with a message, in words for its sender. */
export class UnfitMessage extends Error {}

const PREFIX = "x-postrider-";
/** Of the service, or of a way that this message has not taken yet. */
const OURS = /^(bcc|resent-bcc|return-path|dkim-signature|feedback-id|sender|x-postrider-.*)$/;
const MAX_LINE = 998;
const FOLD_AT = 76;
const WORD_LENGTH = 52;
const MAX_HEAD_BYTES = 262_144;
const MAX_FIELDS = 1_000;
/** What has come through so many servers goes round in circles. */
const MAX_RECEIVED = 30;
/** `<id@host>`. */
export const MESSAGE_ID = /^<([!-;=?-~]{1,900})>$/;
const MAX_SUBJECT_CHARS = 998;
const MAX_ENCODED_LINE = 76;
const NOT_ASCII = /[\x80-\xff]/;

const encoder = new MimeNode(undefined, { textEncoding: "base64" });

/** So much of a message is looked at in some milliseconds. */
const PIECE_BYTES = 1_048_576;

/** The same for a message that has come in one piece, with any line ends; others have their turn meanwhile. */
export async function readWhole(bytes: Buffer, trace: Trace): Promise<SubmittedMessage> {
  const lines = fixLineEnds();
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    lines.take(bytes.subarray(at, at + PIECE_BYTES));
    await setImmediate();
  }
  return readSubmitted(lines.end(), trace);
}

/** Reads a message, or throws {@linkcode UnfitMessage}. */
export function readSubmitted(given: FixedMessage, trace: Trace): SubmittedMessage {
  if (given.hasNul) throw new UnfitMessage("A message has no NUL bytes: encode the part in base64");
  const { head, body } = divide(given.source);
  const fields = fieldsOf(head);
  assertFields(fields);
  const from = senderOf(fields);
  const kept = fields.filter((field) => field.name !== "from" && !OURS.test(field.name) && !isLostId(field));
  const needsEncoding = given.has8bit || given.longestLine > MAX_LINE;
  const lines = [
    receivedField(trace),
    addressField("From", from),
    ...kept.map((field) => (needsEncoding ? sendable(field) : field.text)),
    ...missing(kept, trace.at),
  ];
  const top = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const source = Buffer.concat([top, body]);
  return {
    from,
    replyTo: addressesIn(fields, "reply-to")[0]?.email ?? null,
    subject: subjectOf(fields),
    names: namesOf(fields),
    roles: rolesOf(fields),
    controls: controlsOf(fields),
    source: needsEncoding ? encoded(source) : source,
  };
}

/** Header and body of a message. One without an empty line has no body. */
function divide(source: Buffer): { head: string; body: Buffer } {
  const end = source.indexOf("\r\n\r\n");
  const length = end === -1 ? source.length : end;
  if (length > MAX_HEAD_BYTES) throw new UnfitMessage("The header of a message has at most 256 KB");
  const head = source.toString("latin1", 0, length).replace(/\r\n$/, "");
  return { head, body: end === -1 ? Buffer.of() : source.subarray(end + 4) };
}

function assertFields(fields: HeaderField[]): void {
  if (fields.length > MAX_FIELDS) throw new UnfitMessage(`A message has at most ${MAX_FIELDS} header fields`);
  const broken = fields.find(({ name }) => name === "");
  if (broken) {
    const line = clean(broken.text).slice(0, 60);
    throw new UnfitMessage(`This line of the header is no field, such as "Subject: Hello": ${line}`);
  }
  if (fields.filter(({ name }) => name === "received").length > MAX_RECEIVED) {
    throw new UnfitMessage("Too many Received fields: this message goes round in circles");
  }
}

/** The one mailbox of the one field From: what receivers show, and what the signature is about. */
function senderOf(fields: HeaderField[]): SubmittedMessage["from"] {
  const given = fields.filter(({ name }) => name === "from");
  const advice = "such as From: Ada <ada@example.com>";
  if (given.length !== 1) throw new UnfitMessage(`A message has one From field, ${advice}`);
  const senders = addressesIn(fields, "from");
  if (senders.length !== 1 || senders[0]!.email === null)
    throw new UnfitMessage(`From is one address, ${advice}`);
  return { email: senders[0]!.email, name: senders[0]!.name };
}

/** The mailboxes of all fields with this name; of one whose address is not well-formed it is null. */
function addressesIn(fields: HeaderField[], name: string): { email: string | null; name: string | null }[] {
  const values = fields.filter((field) => field.name === name).map(rawValueOf);
  return values
    .flatMap((value) => addressParser(value, { flatten: true }))
    .map((mailbox) => ({
      email: parseAddress(mailbox.address ?? "")?.email ?? null,
      name: clean(decodeWords(mailbox.name ?? "")).slice(0, 255) || null,
    }));
}

function namesOf(fields: HeaderField[]): Map<string, string> {
  const mailboxes = [...addressesIn(fields, "to"), ...addressesIn(fields, "cc")];
  return new Map(mailboxes.flatMap(({ email, name }) => (email && name ? [[email, name] as const] : [])));
}

function rolesOf(fields: HeaderField[]): SubmittedMessage["roles"] {
  const inField = (name: "to" | "cc") =>
    addressesIn(fields, name).flatMap(({ email }) => (email ? [[email, name] as const] : []));
  // Who is in both is in To.
  return new Map([...inField("cc"), ...inField("to")]);
}

function subjectOf(fields: HeaderField[]): string {
  const field = fields.find(({ name }) => name === "subject");
  return field ? valueOf(field).slice(0, MAX_SUBJECT_CHARS).toWellFormed() : "";
}

function controlsOf(fields: HeaderField[]): Map<string, string> {
  const controls = new Map<string, string>();
  for (const field of fields.filter(({ name }) => name.startsWith(PREFIX))) {
    const name = field.name.slice(PREFIX.length);
    if (controls.has(name)) throw new UnfitMessage(`X-Postrider-${name} is there twice`);
    controls.set(name, valueOf(field));
  }
  return controls;
}

/** An id that nobody could answer to: the mail gets one of ours. */
function isLostId(field: HeaderField): boolean {
  return field.name === "message-id" && !MESSAGE_ID.test(valueOf(field));
}

/** Without the address of the client: it is a machine of the sender's, and nobody else's business. */
function receivedField({ from, by, protocol, at }: Trace): string {
  const host = from.replace(/[^!-'*-:=?-~]/g, "").slice(0, 255) || "unknown";
  return `Received: from ${host} by ${by}\r\n with ${protocol}; ${dateOf(at)}`;
}

/** What every message has. */
function missing(fields: HeaderField[], at: Date): string[] {
  const has = new Set(fields.map(({ name }) => name));
  return [
    ...(has.has("date") ? [] : [`Date: ${dateOf(at)}`]),
    ...(has.has("mime-version") ? [] : ["MIME-Version: 1.0"]),
  ];
}

function dateOf(at: Date): string {
  return at.toUTCString().replace("GMT", "+0000");
}

function addressField(name: string, { email, name: shown }: SubmittedMessage["from"]): string {
  const value = encoder.encodeHeaderValue(name, { name: shown ?? "", address: email });
  return foldLines(`${name}: ${value}`, FOLD_AT);
}

/** A field in ASCII, in lines that are short enough. */
function sendable(field: HeaderField): string {
  const isLong = field.text.split("\r\n").some((line) => line.length > MAX_LINE);
  if (!isLong && !NOT_ASCII.test(field.text)) return field.text;
  const name = field.text.slice(0, field.text.indexOf(":")).trim();
  const value = rawValueOf(field);
  const lines = foldLines(`${name}: ${encoder.encodeHeaderValue(name, value)}`, FOLD_AT);
  if (isSound(lines)) return lines;
  const words = foldLines(`${name}: ${encodeWord(value, "B", WORD_LENGTH)}`, FOLD_AT);
  if (isSound(words)) return words;
  throw new UnfitMessage(`The header field ${name} is too long for one line: fold it after 998 characters`);
}

function isSound(lines: string): boolean {
  return /^[\t\r\n -~]*$/.test(lines) && lines.split("\r\n").every((line) => line.length <= MAX_LINE);
}

/** The message with every part encoded that is not ASCII, or has longer lines than mail may have (RFC 5322 2.1.1). */
function encoded(source: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const part of partsOf(source)) {
    const body = source.subarray(part.bodyStart, part.end);
    if (isPlain(body)) continue;
    if (part.isSealed || part.type.startsWith("message/")) {
      throw new UnfitMessage(
        `A part of type ${part.type} has bytes or lines that not every server carries: encode it before it is sent`,
      );
    }
    const { encoding, bytes } = encodingOf(source, part);
    const fields = part.fields.filter(({ name }) => name !== "content-transfer-encoding");
    const lines = [...fields.map(sendable), `Content-Transfer-Encoding: ${encoding}`];
    pieces.push(
      source.subarray(copied, part.start),
      Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"),
      bytes,
    );
    copied = part.end;
  }
  const whole = Buffer.concat([...pieces, source.subarray(copied)]);
  if (isPlain(whole)) return whole;
  throw new UnfitMessage("A line between the parts, or in the header of one, is too long or not in ASCII");
}

function partsOf(source: Buffer): MimePart[] {
  try {
    return mimePartsOf(source);
  } catch (error) {
    if (error instanceof TooManyParts) throw new UnfitMessage("A message has at most 1000 parts");
    throw error;
  }
}

/** A part in an encoding that any server carries: its bytes are the same, once it is decoded. */
function encodingOf(source: Buffer, part: MimePart): { encoding: string; bytes: Buffer } {
  const isUtf8 = /^(|utf-?8|us-ascii)$/i.test(part.charset);
  if (isUtf8 && (isText(part, "text/html") || isText(part, "text/plain"))) {
    const text = partText(source, part);
    // Where that is what it says.
    if (Buffer.from(text).equals(bytesOf(source, part))) {
      const { encoding, body } = encodeText(text);
      return { encoding, bytes: body };
    }
  }
  const base64 = bytesOf(source, part).toString("base64");
  const lines = Array.from({ length: Math.ceil(base64.length / MAX_ENCODED_LINE) }, (_, n) =>
    base64.slice(n * MAX_ENCODED_LINE, (n + 1) * MAX_ENCODED_LINE),
  );
  return { encoding: "base64", bytes: Buffer.from(lines.join("\r\n"), "latin1") };
}

function isPlain(body: Buffer): boolean {
  let from = 0;
  for (let at = body.indexOf("\n"); at !== -1; at = body.indexOf("\n", from)) {
    if (at - from > MAX_LINE + 1) return false;
    from = at + 1;
  }
  return body.length - from <= MAX_LINE && isAscii(body);
}
