// Looks over the bytes of a JSON text before anything is made of them: how deep it is, how many values it holds, and how
// much of it is escaped. It does not say whether it is JSON at all; that is for the parser, which afterwards has only
// bearable work before it.
import { setImmediate } from "node:timers/promises";
import { type FieldError, problems } from "../../problem/mod.ts";

/** How much JSON a request may bring. */
export interface JsonLimits {
  /** Objects, lists and their contents, all together. */
  values: number;
  /** Objects and lists within each other. */
  levels: number;
}

/** Others get their turn after this many bytes, or skipped strings. */
const STEPS_A_SLICE = 250_000;
const MAX_NAME_BYTES = 200;
/**
 * An HTML of 1,048,576 characters may consist of nothing else. A parser takes 10 to 25 ms for that many, in one piece.
 */
const MAX_ESCAPES = 1_250_000;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

interface Scan {
  at: number;
  /** Within the string that began last. */
  inString: boolean;
  /** The next ones from `at` on; the length if there are none. */
  quote: number;
  backslash: number;
  escapes: number;
  /** Where the last string began. */
  string: number;
  values: number;
  level: number;
  /** The last byte that was neither a space nor in a string. */
  last: number;
  /** Where the names begin, on the first two levels, of what is being scanned. */
  names: [number, number];
}

/**
 * Refuses with 413 too many values or escapes, and with 422 too deep nesting: whichever comes first.
 */
export async function assertWithin(bytes: Uint8Array, limits: JsonLimits): Promise<void> {
  const scan: Scan = {
    at: 0,
    inString: false,
    quote: -1,
    backslash: -1,
    escapes: 0,
    string: 0,
    values: 1,
    level: 0,
    last: SPACE,
    names: [0, 0],
  };
  for (;;) {
    scanSlice(bytes, scan, limits);
    if (scan.at >= bytes.length) return;
    await setImmediate();
  }
}

function scanSlice(bytes: Uint8Array, scan: Scan, limits: JsonLimits): void {
  let { at, inString, last } = scan;
  for (let steps = 0; at < bytes.length && steps < STEPS_A_SLICE; at++, steps++) {
    if (inString) {
      // Long ones are skipped at once: most of a large body is the base64 of a file.
      if (scan.quote < at) scan.quote = next(bytes, QUOTE, at);
      if (scan.backslash < at) scan.backslash = next(bytes, BACKSLASH, at);
      inString = scan.backslash < scan.quote;
      if (inString) countEscape(scan);
      at = inString ? scan.backslash + 1 : scan.quote;
      continue;
    }
    const byte = bytes[at]!;
    if (byte <= SPACE) continue;
    const closes = byte === CLOSE_LIST || byte === CLOSE_OBJECT;
    // The items of a list are one more than its commas, unless it is empty.
    if (!closes && (last === OPEN_LIST || last === OPEN_OBJECT)) countValue(scan, limits);
    if (byte === QUOTE) {
      inString = true;
      scan.string = at;
    } else if (byte === COMMA) {
      countValue(scan, limits);
    } else if (byte === COLON) {
      if (scan.level <= 2) scan.names[scan.level - 1] = scan.string;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if ((scan.level += 1) > limits.levels) throw problems.invalid([tooDeep(bytes, scan, limits)]);
      if (scan.level === 2) scan.names[1] = 0;
    } else if (closes) {
      scan.level -= 1;
    }
    last = byte;
  }
  Object.assign(scan, { at, inString, last });
}

function countValue(scan: Scan, limits: JsonLimits): void {
  if ((scan.values += 1) > limits.values) throw problems.tooMany(limits.values, "values");
}

function countEscape(scan: Scan): void {
  if ((scan.escapes += 1) > MAX_ESCAPES) throw problems.tooMany(MAX_ESCAPES, "escaped characters");
}

function next(bytes: Uint8Array, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from);
  return found === -1 ? bytes.length : found;
}

/** At the field it is in; in the data of a contact at its key, like all other errors there. */
function tooDeep(bytes: Uint8Array, { names }: Scan, { levels }: JsonLimits): FieldError {
  const [name, key] = names.map((at) => (at === 0 ? "" : nameAt(bytes, at + 1)));
  const field = name === "data" && key ? `${name}.${key}` : name!;
  return { field, code: "custom", message: `A body is nested at most ${levels} levels deep` };
}

function nameAt(bytes: Uint8Array, start: number): string {
  const end = bytes.indexOf(QUOTE, start);
  return Buffer.from(bytes.subarray(start, Math.min(end, start + MAX_NAME_BYTES))).toString();
}
