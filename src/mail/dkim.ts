// Signatures that prove whose domain a mail is from (RFC 6376, RFC 8301): rsa-sha256, relaxed/relaxed.
//
// The expensive part is the RSA operation, more than all the rest of a mail. It is done beside the main thread
// (`_signatures.ts`), which is left with 0.02 ms for a mail of 10 KB: the signer of the mail library is a stream and takes
// 0.15 ms there, and then the RSA operation as well.

import { createHash, type KeyObject, randomUUID } from "node:crypto";
import { PassThrough, pipeline, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import MailComposer from "nodemailer/lib/mail-composer";
import { parseConnectionUrl } from "nodemailer/lib/shared";
import { signText } from "./_signatures.ts";
import type { Mail, ReadyMail, StreamedMail } from "./mailer.ts";
import { toMessage } from "./message.ts";

/** What signs the mails of a domain. */
export interface SigningKey {
  domain: string;
  selector: string;
  privateKey: KeyObject;
}

/** How a mail is signed. */
export interface Signing {
  at: Date;
  /** Names of fields, in lower case, that the next server rewrites: a signature over them would break. */
  except?: ReadonlySet<string>;
}

/**
 * Fields that are signed once more than they occur: nobody can add another one, which some readers would show instead.
 * A second content type would even change the meaning of the body.
 */
const SEALED = `from to cc subject date message-id reply-to mime-version content-type content-transfer-encoding`;
/** Fields that are signed where they are there. RFC 8058 and Gmail's feedback loop ask for the last three. */
const SIGNED = `sender in-reply-to references list-id list-help list-subscribe list-post list-owner list-archive
  list-unsubscribe list-unsubscribe-post feedback-id`;
const FIELDS = [
  ...SEALED.split(/\s+/).map((name) => ({ name, isSealed: true })),
  ...SIGNED.split(/\s+/).map((name) => ({ name, isSealed: false })),
];

const SES_HOST = /(^|\.)email-smtp(-fips)?\.[a-z0-9-]+\.(vpce\.)?amazonaws\.com(\.cn)?$/i;
const WRITTEN_BY_SES = new Set(["date", "message-id", "feedback-id"]);
const UNTOUCHED: ReadonlySet<string> = new Set();

const LINE_END = "\r\n";
const HEAD_END = "\r\n\r\n";
const PIECE = 65_536;
/** What relaxed canonicalisation would change in a line. */
const LOOSE_BLANKS = ["\t", "  ", " \r\n"];

/** Whether the server behind this URL is Amazon SES. */
export function isSes(smtpUrl: string | undefined): boolean {
  return smtpUrl !== undefined && SES_HOST.test(String(parseConnectionUrl(smtpUrl).host));
}

/** The fields that the server behind this URL is known to replace. */
export function fieldsWrittenBy(smtpUrl: string | undefined): ReadonlySet<string> {
  return isSes(smtpUrl) ? WRITTEN_BY_SES : UNTOUCHED;
}

/**
 * The same mail, signed. One with attachments, or one that is written while it is sent, is written twice, for its hash and when
 * it is sent, and never held.
 */
export async function signMail(
  mail: Mail | ReadyMail | StreamedMail,
  key: SigningKey,
  signing: Signing,
): Promise<ReadyMail | StreamedMail> {
  const { origin, messageId, envelope, subject } = mail;
  const known = { ...(origin && { origin }), messageId, envelope, subject };
  if ("source" in mail) return { ...known, source: await signMessage(mail.source, key, signing) };
  const boundary = randomUUID();
  const open = () => ("open" in mail ? mail.open() : write(mail, boundary));
  const { head, bodyHash } = await digest(open());
  const field = await signatureField(head, bodyHash, key, signing);
  return {
    ...known,
    open() {
      const signed = new PassThrough();
      signed.write(field);
      pipeline(open(), signed, () => {});
      return signed;
    },
  };
}

/** The same message with a signature before it. `source` is a whole message whose lines end in CRLF. */
export async function signMessage(source: Buffer, key: SigningKey, signing: Signing): Promise<Buffer> {
  const { head, body } = split(source);
  const hash = createBodyHash();
  hash.update(body);
  return Buffer.concat([await signatureField(head, hash.digest(), key, signing), source]);
}

/** The header, one character a byte, and the body. */
function split(source: Buffer): { head: string; body: Buffer } {
  const end = source.indexOf(HEAD_END);
  if (end === -1) return { head: source.toString("latin1"), body: Buffer.of() };
  return { head: source.toString("latin1", 0, end), body: source.subarray(end + HEAD_END.length) };
}

/** The same of a message that is read piece by piece; in between others have their turn. */
async function digest(message: Readable): Promise<{ head: string; bodyHash: string }> {
  const hash = createBodyHash();
  let head: string | null = null;
  let start = Buffer.of();
  for await (const piece of message as AsyncIterable<Buffer>) {
    if (head !== null) hash.update(piece);
    else {
      start = Buffer.concat([start, piece]);
      if (!start.includes(HEAD_END)) continue;
      const parts = split(start);
      head = parts.head;
      hash.update(parts.body);
    }
    await setImmediate();
  }
  return { head: head ?? split(start).head, bodyHash: hash.digest() };
}

/** The hash of a body in relaxed canonicalisation (RFC 6376 3.4.4), in base64, with `update` called piece by piece. */
function createBodyHash(): { update(piece: Buffer): void; digest(): string } {
  const hash = createHash("sha256");
  /** Blanks and line ends that do not count if they are the last of the body. */
  let held: Buffer[] = [];
  let isEmpty = true;
  return {
    update(piece) {
      let end = piece.length;
      while (end > 0 && isBlank(piece[end - 1]!)) end--;
      if (end > 0) {
        const text = piece.subarray(0, end);
        hash.update(tightened(held.length === 0 ? text : Buffer.concat([...held, text])));
        held = [];
        isEmpty = false;
      }
      if (end < piece.length) held.push(piece.subarray(end));
    },
    digest: () => (isEmpty ? hash : hash.update(LINE_END)).digest("base64"),
  };
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}

/** With single blanks, and none at the end of a line. */
function tightened(text: Buffer): Buffer {
  if (!LOOSE_BLANKS.some((blanks) => text.includes(blanks))) return text;
  const tight = Buffer.allocUnsafe(text.length);
  let length = 0;
  let isAfterBlank = false;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]!;
    if (byte === 0x20 || byte === 0x09) {
      if (!isAfterBlank) tight[length++] = 0x20;
      isAfterBlank = true;
      continue;
    }
    if (isAfterBlank && byte === 0x0d && text[i + 1] === 0x0a) length -= 1;
    tight[length++] = byte;
    isAfterBlank = false;
  }
  return tight.subarray(0, length);
}

/** The field with the signature and its line end. */
async function signatureField(
  head: string,
  bodyHash: string,
  { domain, selector, privateKey }: SigningKey,
  { at, except = UNTOUCHED }: Signing,
): Promise<Buffer> {
  const { names, canonical } = signedFields(head, except);
  const unsigned =
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain};\r\n` +
    ` s=${selector}; t=${Math.floor(at.getTime() / 1000)};\r\n` +
    ` h=${names.join(":").replace(/.{40,65}:(?=.)/g, "$&\r\n ")};\r\n` +
    ` bh=${bodyHash};\r\n b=`;
  const text = `${canonical}${canonicalField(unsigned)}`;
  const signature = await signText(Buffer.from(text, "latin1"), privateKey);
  return Buffer.from(`${unsigned}${signature.toString("base64").replace(/.{72}(?=.)/g, "$&\r\n ")}\r\n`);
}

/**
 * The names of the signed fields, and the signed text. Of fields with one name the last is taken first (RFC 6376
 * 5.4.2).
 */
function signedFields(head: string, except: ReadonlySet<string>): { names: string[]; canonical: string } {
  const present = new Map<string, string[]>();
  for (const field of head.split(/\r\n(?![ \t])/)) {
    const canonical = canonicalField(field);
    const name = canonical.slice(0, canonical.indexOf(":"));
    present.set(name, [canonical, ...(present.get(name) ?? [])]);
  }
  const names: string[] = [];
  let canonical = "";
  for (const { name, isSealed } of FIELDS) {
    if (except.has(name)) continue;
    for (const field of present.get(name) ?? []) {
      names.push(name);
      canonical += `${field}\r\n`;
    }
    if (isSealed) names.push(name);
  }
  return { names, canonical };
}

/** Its name in lower case, in one line, with single blanks and none at either side of the value (RFC 6376 3.4.2). */
function canonicalField(field: string): string {
  const colon = field.indexOf(":");
  const value = field
    .slice(colon + 1)
    .replaceAll(LINE_END, "")
    .replace(/[ \t]+/g, " ")
    .replace(/^ | $/g, "");
  return `${field.slice(0, colon).toLowerCase()}:${value}`;
}

/** The source of a mail: the same each time, in lines that end in CRLF, as SMTP would fix them after the signature. */
function write(mail: Mail, baseBoundary: string): Readable {
  const message = toMessage({ ...mail, text: withLineEnds(mail.text), html: withLineEnds(mail.html) });
  const attachments = message.attachments!.map((attachment) => ({
    ...attachment,
    content: Readable.from(piecesOf(attachment.content as Buffer)),
  }));
  return new MailComposer({ ...message, attachments, baseBoundary }).compile().createReadStream();
}

function withLineEnds(text: string): string {
  return text.replace(/\r\n|\r|\n/g, LINE_END);
}

/** The mail library would encode ten megabytes at once. */
function* piecesOf(content: Buffer): Generator<Buffer> {
  for (let start = 0; start < content.length; start += PIECE) yield content.subarray(start, start + PIECE);
}
