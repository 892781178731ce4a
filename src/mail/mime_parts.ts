// The parts of a message that somebody else has made (RFC 2046): where they are in its source, and what they say. Nothing is
// decoded that nobody asks for.
import { decodeWords } from "postal-mime";
import { clean, type HeaderField, fieldsOf, structuredValueOf } from "./fields.ts";

/** A part that has no parts. */
export interface MimePart {
  fields: HeaderField[];
  /** Where its header begins, its body begins, and it ends, in bytes. */
  start: number;
  bodyStart: number;
  end: number;
  /** In lower case, such as `text/html`. */
  type: string;
  /** As it is named; empty for none. */
  charset: string;
  /** In lower case; `7bit` where nothing is said. */
  encoding: string;
  /** A name that it is saved by; null for none. */
  filename: string | null;
  disposition: "attachment" | "inline";
  /** It is under a signature, or encrypted: not a byte of it may change. */
  isSealed: boolean;
}

/** The message has more parts, or more levels of them, than any mail has. */
export class TooManyParts extends Error {}

const MAX_PARTS = 1_000;
const MAX_LEVELS = 20;
const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");
const BLANKS = [0x20, 0x09];
const EQUALS = 0x3d;
const SEALED = /^multipart\/(signed|encrypted)$/;

/** The parts that have no parts, in their order. Lines end in CRLF. Throws {@linkcode TooManyParts}. */
export function mimePartsOf(source: Buffer): MimePart[] {
  const found: MimePart[] = [];
  walk(source, { start: 0, end: source.length, level: 0, isSealed: false }, found);
  return found;
}

/** A part that a reader shows as the text of the message, and not as a file. */
export function isText(part: MimePart, type: "text/html" | "text/plain"): boolean {
  return part.type === type && part.filename === null && part.disposition === "inline";
}

/** The bytes of a part. */
export function bytesOf(source: Buffer, { bodyStart, end, encoding }: MimePart): Buffer {
  const body = source.subarray(bodyStart, end);
  if (encoding === "base64") return Buffer.from(body.toString("latin1"), "base64");
  return encoding === "quoted-printable" ? unquoted(body) : body;
}

/** The text of a part, in its charset; one that nobody knows counts as UTF-8. */
export function partText(source: Buffer, part: MimePart): string {
  return decoderOf(part.charset).decode(bytesOf(source, part)).toWellFormed();
}

/** About how many bytes a part has, from its encoding. */
export function sizeOf({ bodyStart, end, encoding }: MimePart): number {
  const encoded = end - bodyStart;
  // Lines of 76, with their ends.
  return encoding === "base64" ? Math.floor((encoded * 76 * 3) / (78 * 4)) : encoded;
}

interface Range {
  start: number;
  end: number;
  level: number;
  isSealed: boolean;
}

function walk(source: Buffer, { start, end, level, isSealed }: Range, found: MimePart[]): void {
  if (level > MAX_LEVELS || found.length >= MAX_PARTS) throw new TooManyParts();
  const { head, bodyStart } = headOf(source, start, end);
  const fields = fieldsOf(head);
  const named = (name: string) => fields.find((field) => field.name === name);
  const { value: type, params } = structuredValueOf(named("content-type"));
  if (type.startsWith("multipart/") && params.boundary) {
    const ranges = between(source, { start: bodyStart, end }, params.boundary);
    for (const range of ranges) {
      walk(source, { ...range, level: level + 1, isSealed: isSealed || SEALED.test(type) }, found);
    }
    if (ranges.length > 0) return;
  }
  const { value: disposition, params: about } = structuredValueOf(named("content-disposition"));
  const name = about.filename ?? params.name;
  found.push({
    fields,
    start,
    bodyStart,
    end,
    type: type || "text/plain",
    charset: params.charset ?? "",
    encoding: structuredValueOf(named("content-transfer-encoding")).value || "7bit",
    filename: name === undefined ? null : clean(decodeWords(name)),
    disposition: disposition === "attachment" ? "attachment" : "inline",
    isSealed,
  });
}

function headOf(source: Buffer, start: number, end: number): { head: string; bodyStart: number } {
  if (source.subarray(start, start + 2).equals(LINE_END)) return { head: "", bodyStart: start + 2 };
  // In the part alone: a search behind its end would look through all of the message for each part.
  const length = source.subarray(start, end).indexOf(HEAD_END);
  if (length === -1) return { head: source.toString("latin1", start, end), bodyStart: end };
  const at = start + length;
  return { head: source.toString("latin1", start, at), bodyStart: at + HEAD_END.length };
}

/** The parts between the lines with a boundary. The line end before such a line belongs to it. */
function between(source: Buffer, { start, end }: { start: number; end: number }, boundary: string) {
  const line = Buffer.from(`--${boundary}`);
  const ranges: { start: number; end: number }[] = [];
  let open: number | null = null;
  const inside = source.subarray(0, end);
  for (let at = inside.indexOf(line, start); at !== -1; at = inside.indexOf(line, at + 1)) {
    if (at !== start && !source.subarray(at - 2, at).equals(LINE_END)) continue;
    const after = afterLine(source, at + line.length, end);
    if (after === null) continue;
    if (open !== null) ranges.push({ start: open, end: Math.max(open, at - 2) });
    if (ranges.length > MAX_PARTS) throw new TooManyParts();
    open = after.isLast ? null : after.next;
    if (after.isLast) return ranges;
  }
  if (open !== null && open < end) ranges.push({ start: open, end });
  return ranges;
}

/** What is behind a boundary; null where it is only the beginning of another line. */
function afterLine(source: Buffer, from: number, end: number): { isLast: boolean; next: number } | null {
  const isLast = source.toString("latin1", from, from + 2) === "--";
  let at = isLast ? from + 2 : from;
  while (at < end && BLANKS.includes(source[at]!)) at += 1;
  if (at >= end) return { isLast, next: end };
  return source.subarray(at, at + 2).equals(LINE_END) ? { isLast, next: at + 2 } : null;
}

/** Quoted-printable as bytes. What is no code stays as it is. */
function unquoted(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length);
  let length = 0;
  let from = 0;
  for (let at = body.indexOf(EQUALS); at !== -1; at = body.indexOf(EQUALS, from)) {
    length += body.copy(out, length, from, at);
    const code = body.toString("latin1", at + 1, at + 3);
    const isByte = /^[\da-f]{2}$/i.test(code);
    if (isByte) out[length++] = parseInt(code, 16);
    else if (code !== "\r\n") out[length++] = EQUALS;
    from = at + (isByte || code === "\r\n" ? 3 : 1);
  }
  length += body.copy(out, length, from);
  return out.subarray(0, length);
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset === "" ? "utf-8" : charset);
  } catch {
    return new TextDecoder("utf-8");
  }
}
