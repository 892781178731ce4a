// Reads the JSON of a request, after the caller is authenticated.
import { setImmediate } from "node:timers/promises";
import { type FieldError, problems } from "../../problem/mod.ts";
import type { Bounds } from "./body_bounds.ts";
import { take } from "./field_errors.ts";
import { assertWithin, type JsonLimits } from "./json_scan.ts";
import { note } from "./requests.ts";

/** The maximum size of any JSON body, in bytes, where nothing else applies (guides/limits.md): its schema says less. */
export const BODY_LIMIT = 5 * 1_048_576;
/** Limit of the body of `/v1/send`, which carries attachments. */
export const SEND_BODY_LIMIT = 50 * 1_048_576;

/** What comes as JSON. */
export type JsonBody = Record<string, unknown> | null;

/** Stands for a body that has not been read yet: it is read once the caller is authenticated. */
export const UNREAD = {};

const JSON_TYPES = /^(application\/([\w.-]+\+)?json|text\/plain)\s*(;|$)/i;
const MAX_BROKEN = 20;
const MAX_REASON_LENGTH = 200;
/** So much is parsed in some milliseconds. */
const MUCH_TEXT = 1_048_576;
// PostgreSQL can hold neither NUL nor half of a surrogate pair; both can only come as an escape.
const NO_OBJECT: FieldError = { field: "", code: "invalid_type", message: "Expected a JSON object" };
const NO_LIST: FieldError = { field: "", code: "invalid_type", message: "Expected a JSON array" };
const SUSPICIOUS = /\\u(0000|[dD][89a-fA-F])/;

/**
 * The body as JSON; an empty one counts as `{}`. Refuses with 413 a body that is too large (without reading it, where
 * its length is given) or holds too many values, with 415 one whose type is not JSON, with 400 one that cannot be
 * parsed, and with 422 one that is nested too deeply, is neither an object nor null, or contains NUL or an unpaired
 * surrogate. Large bodies are processed in steps, so that others get their turn.
 */
export async function readJson(request: Request, bounds: Bounds, isList = false): Promise<JsonBody> {
  const bytes = await readBytes(request, bounds.bytes);
  if (isBlank(bytes)) return {};
  const type = request.headers.get("content-type");
  if (type !== null && !JSON_TYPES.test(type)) throw problems.unsupportedMediaType(type);
  await assertWithin(bytes, bounds);
  const text = decode(bytes);
  await breathe(text);
  const body = parse(request, text);
  if (typeof body !== "object" || Array.isArray(body) !== isList) {
    throw problems.invalid([isList ? NO_LIST : NO_OBJECT]);
  }
  await breathe(text);
  if (SUSPICIOUS.test(text)) {
    const errors = brokenText(body);
    if (errors.length > 0) throw problems.invalid(errors);
  }
  return body as JsonBody;
}

/**
 * JSON within another body, such as a part of a form. Throws 422 about `field` where it is no object, or cannot be stored, and
 * 413 where it holds too much.
 */
export async function parseObject(
  text: string,
  field: string,
  limits: JsonLimits,
): Promise<Record<string, unknown>> {
  await assertWithin(Buffer.from(text), limits);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw problems.invalid([{ ...NO_OBJECT, field }]);
  }
  const errors = SUSPICIOUS.test(text) ? brokenText(value) : [];
  if (errors.length > 0)
    throw problems.invalid(errors.map((error) => ({ ...error, field: `${field}.${error.field}` })));
  return value as Record<string, unknown>;
}

/** How much of a body that is too large is read and dropped, and for how long: most clients read no answer before that. */
const MAX_DROPPED_BYTES = 64 * 1_048_576;
const MAX_DROPPING_MS = 30_000;

/**
 * The raw body. Refuses with 413 one of more than `limit` bytes, once the rest of it has been dropped: closing the
 * connection at once would show most clients a broken pipe in place of the answer.
 */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = request.headers.get("content-length");
  try {
    if (announced !== null && Number(announced) > limit) {
      if (Number(announced) <= MAX_DROPPED_BYTES) await drop(request.body?.getReader(), 0);
      throw problems.bodyTooLarge(limit);
    }
    return announced === null ? await readChunks(request, limit) : await request.bytes();
  } catch (error) {
    // The sender has hung up.
    if (error instanceof Error && error.name === "AbortError") throw problems.bodyCutShort();
    throw error;
  }
}

async function readChunks(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const reader = request.body?.getReader();
  let length = 0;
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return Buffer.concat(chunks);
    length += value.byteLength;
    if (length > limit) {
      chunks.length = 0;
      await drop(reader, length);
      throw problems.bodyTooLarge(limit);
    }
    chunks.push(value);
  }
}

/** Reads what is left of a body, and keeps nothing of it. */
async function drop(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  lengthBefore: number,
): Promise<void> {
  const until = performance.now() + MAX_DROPPING_MS;
  let length = lengthBefore;
  while (reader && length <= MAX_DROPPED_BYTES && performance.now() < until) {
    const { value, done } = await reader.read();
    if (done) return;
    length += value.byteLength;
  }
}

/** Of a body that is not JSON. */
const NOTED_LENGTH = 4_096;
const MUCH_BLANK = 65_536;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Nobody sends many blanks and nothing else: a large body is read as JSON, and fails. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.length <= MUCH_BLANK && bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

/** Lets others have their turn between two steps of work on a large body. */
async function breathe(text: string): Promise<void> {
  if (text.length > MUCH_TEXT) await setImmediate();
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw problems.notJson("it is not UTF-8");
  }
}

function parse(request: Request, text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    note(request, { body });
    return body;
  } catch (error) {
    // A copy: a part of a text holds on to all of it.
    note(request, { body: Buffer.from(text.slice(0, NOTED_LENGTH)).toString() });
    if (!(error instanceof SyntaxError)) throw error;
    throw problems.notJson(error.message.slice(0, MAX_REASON_LENGTH).toWellFormed());
  }
}

/** Where text stands that PostgreSQL cannot hold: the first places. */
function brokenText(body: unknown): FieldError[] {
  return [...take(brokenPlaces(body, ""), MAX_BROKEN)].map(brokenAt);
}

function* brokenPlaces(value: unknown, path: string): Generator<string> {
  if (typeof value === "string" && isBroken(value)) yield path;
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    const at = path === "" ? key : `${path}.${key}`;
    if (isBroken(key)) yield at.replaceAll("\0", "");
    else yield* brokenPlaces((value as Record<string, unknown>)[key], at);
  }
}

function isBroken(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}

function brokenAt(field: string): FieldError {
  const message = "NUL and half surrogate pairs are not allowed in text";
  return { field: field.toWellFormed().slice(0, 200), code: "invalid_string", message };
}
