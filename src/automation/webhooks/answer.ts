// A response as it is stored: whatever a server sends, the database can hold it.
import { storable } from "../../db/text.ts";
import type { Json } from "../../db/types.ts";
import type { GuardedAnswer } from "../../net/guarded_request.ts";

/** The last answer to a webhook. */
export type Answered = {
  status: number;
  headers: Record<string, string>;
  /** Parsed JSON, where it is JSON; otherwise text. */
  body: Json;
  /** There was more of it than is kept. */
  truncated?: true;
};

/** What helps to understand an answer. */
const KEPT_HEADERS = ["content-type", "location", "retry-after", "x-request-id", "request-id"];
const MAX_HEADER_CHARS = 1_000;
/** Postgres reads JSON with its stack. */
const MAX_JSON_DEPTH = 50;

/** An answer for the output of a step. */
export function keptAnswer(answer: Extract<GuardedAnswer, { state: "answered" }>): Answered {
  const headers = KEPT_HEADERS.flatMap((name): [string, string][] => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, storable(value.slice(0, MAX_HEADER_CHARS))]];
  });
  const text = answer.body.toString();
  const isJson = !answer.isCut && /\bjson\b/i.test(answer.headers.get("content-type") ?? "");
  return {
    status: answer.status,
    headers: Object.fromEntries(headers),
    body: (isJson ? parsed(text) : undefined) ?? storable(text),
    ...(answer.isCut && { truncated: true }),
  };
}

/** The first of an answer, as text, for a log. */
export function shortAnswer(
  answer: Extract<GuardedAnswer, { state: "answered" }>,
  maxBytes: number,
): Answered {
  const { headers, status } = keptAnswer({ ...answer, body: Buffer.alloc(0) });
  const isCut = answer.isCut || answer.body.length > maxBytes;
  const body = storable(answer.body.subarray(0, maxBytes).toString());
  return { status, headers, body, ...(isCut && { truncated: true }) };
}

/** The milliseconds that `Retry-After` asks for, as a number of seconds or as a date; 0 when it asks for none. */
export function retryAfterMs(headers: Headers, now: Date): number {
  const given = headers.get("retry-after")?.trim() ?? "";
  const ms = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

function parsed(text: string): Json | undefined {
  try {
    return storableJson(JSON.parse(text) as Json, 0);
  } catch {
    return undefined;
  }
}

/** Throws if it is too deep. */
function storableJson(value: Json, depth: number): Json {
  if (depth > MAX_JSON_DEPTH) throw new Error("Cannot keep JSON that is so deep");
  if (typeof value === "string") return storable(value);
  if (Array.isArray(value)) return value.map((item) => storableJson(item, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storable(key), storableJson(item, depth + 1)]),
  );
}
