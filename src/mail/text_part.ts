// How a text is encoded in a mail: as it is where that is possible ("7bit"), quoted-printable where most of it is ASCII,
// base64 where that is shorter (RFC 2045 section 6). Filters distrust plain English in base64, and it is a third longer.
//
// This runs for every mail: a text is read four bytes at a time where nothing in it needs attention, which makes
// quoted-printable as quick as base64.

/** One text part of a mail, without a line end after its last line. */
export interface TextPart {
  encoding: "7bit" | "quoted-printable" | "base64";
  /**
   * ASCII, each line ends in CRLF. No line begins with a dot or with "From ", which servers on the way may change, and none
   * looks like a boundary that begins with "=_".
   */
  body: Buffer;
}

/** RFC 5322 allows 998 octets in a line, and some servers break a line at 990. */
const MAX_LINE = 980;
/** RFC 2045 allows 76 in a line of quoted-printable or base64; one is left for the "=" of a soft line break. */
const MAX_ENCODED_LINE = 76;
const LAST_COLUMN = MAX_ENCODED_LINE - 1;
/** Between two looks at whether there is room, no more than this is written. */
const ROOM = 2 * MAX_ENCODED_LINE;

const [TAB, LF, CR, BLANK, DASH, DOT, EQUALS, TILDE, UNDERSCORE] = [9, 10, 13, 32, 45, 46, 61, 126, 95];
const DIGITS = Buffer.from("0123456789ABCDEF");
const LETTER_F = 0x46;
const FROM = Buffer.from("From ");

// Four bytes at once: the highest bit of each is set where it needs a closer look.
const HIGH_BITS = 0x80808080 | 0;
const ONES = 0x01010101;
const BLANKS = 0x20202020;
const EQUALS_SIGNS = 0x3d3d3d3d;

/** Encodes a text. Its line ends become CRLF, whatever they were; nothing else in it changes. Never throws. */
export function encodeText(text: string): TextPart {
  const bytes = Buffer.from(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const plain = asItIs(bytes, view);
  if (plain) return { encoding: "7bit", body: plain };
  const limit = base64Length(bytes.length);
  // Of a character that is not ASCII, at least half as much again as it has more bytes than UTF-16 units is escaped.
  const isMostlyAscii = bytes.length + 3 * (bytes.length - text.length) <= limit;
  const printable = isMostlyAscii ? quotedPrintable(bytes, view, limit) : null;
  if (printable) return { encoding: "quoted-printable", body: printable };
  return { encoding: "base64", body: inBase64(text) };
}

/** The text with its line ends fixed, or null where it cannot be sent so. */
function asItIs(bytes: Buffer, view: DataView): Buffer | null {
  const end = bytes.length;
  // Only line ends add to the length, each at most one byte; most texts have few.
  let out = Buffer.allocUnsafe(end + (end >> 4) + ROOM);
  let target = new DataView(out.buffer, out.byteOffset, out.length);
  let at = 0;
  let lineStart = 0;
  let i = 0;
  while (i < end) {
    const isAtStart = at === lineStart;
    if (isAtStart && isDelicate(bytes, i)) return null;
    if (i + 4 <= end) {
      const word = view.getInt32(i, true);
      if (((word | (word + ONES) | (word - BLANKS)) & HIGH_BITS) === 0) {
        target.setInt32(at, word, true);
        at += 4;
        i += 4;
        if (at - lineStart > MAX_LINE) return null;
        continue;
      }
    }
    const byte = bytes[i]!;
    if (byte === LF || byte === CR) {
      out[at++] = CR;
      out[at++] = LF;
      lineStart = at;
      i += byte === CR && bytes[i + 1] === LF ? 2 : 1;
      if (at + (end - i) + ROOM > out.length) {
        out = Buffer.concat([out.subarray(0, at)], at + 2 * (end - i) + ROOM);
        target = new DataView(out.buffer, out.byteOffset, out.length);
      }
      continue;
    }
    if ((byte < BLANK && byte !== TAB) || byte > TILDE || at - lineStart >= MAX_LINE) return null;
    out[at++] = byte;
    i += 1;
  }
  return out.subarray(0, at);
}

/** The text in quoted-printable, or null where base64 is shorter. */
function quotedPrintable(bytes: Buffer, view: DataView, limit: number): Buffer | null {
  const end = bytes.length;
  const out = Buffer.allocUnsafe(limit + ROOM);
  const target = new DataView(out.buffer, out.byteOffset, out.length);
  let at = 0;
  let lineStart = 0;
  let i = 0;
  while (i < end) {
    const isAtStart = at === lineStart;
    if (at - lineStart + 4 <= LAST_COLUMN && i + 4 <= end && !(isAtStart && isDelicate(bytes, i))) {
      const word = view.getInt32(i, true);
      if ((attention(word) & HIGH_BITS) === 0) {
        target.setInt32(at, word, true);
        at += 4;
        i += 4;
        const lastPair = Math.min(end, i + LAST_COLUMN - (at - lineStart)) - 8;
        while (i <= lastPair) {
          const first = view.getInt32(i, true);
          const second = view.getInt32(i + 4, true);
          if (((attention(first) | attention(second)) & HIGH_BITS) !== 0) break;
          target.setInt32(at, first, true);
          target.setInt32(at + 4, second, true);
          at += 8;
          i += 8;
        }
        continue;
      }
    }
    if (at > limit) return null;
    const byte = bytes[i]!;
    if (byte === LF || byte === CR) {
      at = lineStart = writeLineEnd(out, keepLastBlank(out, at, lineStart));
      i += byte === CR && bytes[i + 1] === LF ? 2 : 1;
      continue;
    }
    const isPlain = (byte >= BLANK && byte <= TILDE && byte !== EQUALS) || byte === TAB;
    if (at - lineStart + (isPlain ? 1 : widthOf(byte)) > LAST_COLUMN)
      at = lineStart = writeSoftBreak(out, at);
    if (isPlain && (at > lineStart || !isDelicate(bytes, i))) out[at++] = byte;
    else at = writeEscaped(out, at, byte);
    i += 1;
  }
  at = keepLastBlank(out, at, lineStart);
  return at > limit ? null : out.subarray(0, at);
}

/** The highest bit of a byte is set where that byte, or one before it, is not printable ASCII or is an equals sign. */
function attention(word: number): number {
  return word | ((word ^ EQUALS_SIGNS) - ONES) | (word + ONES) | (word - BLANKS);
}

function writeLineEnd(out: Buffer, at: number): number {
  out[at] = CR;
  out[at + 1] = LF;
  return at + 2;
}

/** A line end that is none of the text. */
function writeSoftBreak(out: Buffer, at: number): number {
  out[at] = EQUALS;
  return writeLineEnd(out, at + 1);
}

function writeEscaped(out: Buffer, at: number, byte: number): number {
  out[at] = EQUALS;
  out[at + 1] = DIGITS[byte >> 4]!;
  out[at + 2] = DIGITS[byte & 15]!;
  return at + 3;
}

/** Servers on the way may remove a blank at the end of a line. */
function keepLastBlank(out: Buffer, at: number, lineStart: number): number {
  const last = out[at - 1]!;
  if (at === lineStart || (last !== BLANK && last !== TAB)) return at;
  const begin = at - 1 - lineStart + 3 > LAST_COLUMN ? writeSoftBreak(out, at - 1) : at - 1;
  return writeEscaped(out, begin, last);
}

/** The columns that a byte needs: those of a whole character in UTF-8 at its first byte, so that it is not cut. */
function widthOf(byte: number): number {
  if (byte < 0xc0) return 3;
  return byte < 0xe0 ? 6 : byte < 0xf0 ? 9 : 12;
}

/** Whether a line may not begin with what is at `i`. */
function isDelicate(bytes: Buffer, i: number): boolean {
  const byte = bytes[i];
  if (byte === DOT) return true;
  if (byte === LETTER_F) return bytes.subarray(i, i + FROM.length).equals(FROM);
  return byte === DASH && bytes[i + 1] === DASH && bytes[i + 2] === EQUALS && bytes[i + 3] === UNDERSCORE;
}

function base64Length(bytes: number): number {
  const characters = 4 * Math.ceil(bytes / 3);
  return characters + 2 * Math.floor(Math.max(0, characters - 1) / MAX_ENCODED_LINE);
}

function inBase64(text: string): Buffer {
  const encoded = Buffer.from(withLineEnds(text)).toString("base64");
  let lines = encoded.slice(0, MAX_ENCODED_LINE);
  for (let i = MAX_ENCODED_LINE; i < encoded.length; i += MAX_ENCODED_LINE)
    lines += `\r\n${encoded.slice(i, i + MAX_ENCODED_LINE)}`;
  return Buffer.from(lines, "latin1");
}

function withLineEnds(text: string): string {
  return text.replace(/\r\n|\r|\n/g, "\r\n");
}
