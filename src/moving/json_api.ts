// The API of another service, read politely: one request at a time, and later where it says so. Its address and its answers are
// somebody else's: the request is guarded, and what comes is checked before it is used.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { setTimeout as pause } from "node:timers/promises";
import { readUrl, Refused } from "../net/checked_addresses.ts";
import { guardedRequest, type GuardOptions } from "../net/guarded_request.ts";
import { type Omission, SourceFault, TryLater } from "./incoming_types.ts";

/** How another service is asked. */
export interface Reading {
  /** Which addresses may be called. */
  guard: GuardOptions;
  /** How often a request is tried before it is given up; left out: once. */
  tries?: number;
  /** For tests: what a second of waiting lasts. */
  secondMs?: number | undefined;
}

/** Reads JSON of this shape from a path; null for 404. */
export type JsonApi = <S extends TSchema>(path: string, schema: S) => Promise<Static<S> | null>;

/** How often a command tries a request. */
export const PATIENT_TRIES = 6;

const TIMEOUT_MS = 30_000;
const MAX_WAIT_S = 120;
const MAX_BYTES = 16 * 1_048_576;

/**
 * An API. Throws a SourceFault that says what to do where the credentials are refused, or what comes is something else;
 * TryLater where it does not answer, after as many tries as `reading` has.
 */
export function jsonApi(
  url: string,
  headers: Record<string, string>,
  { guard, tries = 1, secondMs = 1_000 }: Reading,
): JsonApi {
  const base = baseOf(url);
  return async (path, schema) => {
    for (let tried = 1; ; tried++) {
      try {
        return shaped(schema, await ask(`${base}${path}`, headers, guard), `${base}${path}`);
      } catch (error) {
        if (!(error instanceof TryLater) || tried === tries) throw error;
        await pause(Math.min(error.waitS ?? 2 ** (tried - 1), MAX_WAIT_S) * secondMs);
      }
    }
  };
}

/** The address without a slash at its end. Throws a SourceFault for what is none. */
export function baseOf(url: string): string {
  try {
    const { origin, pathname } = readUrl(url);
    return `${origin}${pathname}`.replace(/\/+$/, "");
  } catch (error) {
    if (error instanceof Refused) throw new SourceFault(`Cannot import from ${url}: ${error.message}`);
    throw error;
  }
}

async function ask(url: string, headers: Record<string, string>, guard: GuardOptions): Promise<unknown> {
  const request = { method: "GET", url, headers: { accept: "application/json", ...headers }, body: null };
  const answer = await guardedRequest(request, { ...guard, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  const cannot = `Cannot read ${url}`;
  if (answer.state === "failed") throw new TryLater(`${cannot}: ${answer.reason}`, null);
  if (answer.state === "refused") throw new SourceFault(`${cannot}: ${answer.reason}`);
  const { status, body, isCut } = answer;
  if (status === 404) return null;
  if (status === 401 || status === 403) {
    throw new SourceFault(`${cannot}: it refused the credentials (${status})`);
  }
  if (status === 429 || status >= 500) {
    const wait = Number(answer.headers.get("retry-after") ?? Number.NaN);
    throw new TryLater(`${cannot}: it answered ${status}`, wait >= 0 ? wait : null);
  }
  if (status >= 300) throw new SourceFault(`${cannot}: it answered ${status}`);
  if (isCut) throw new SourceFault(`${cannot}: its response is larger than ${MAX_BYTES / 1_048_576} MB`);
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    // Such as the page of a proxy while the service restarts.
    throw new TryLater(`${cannot}: its response is not JSON`, null);
  }
}

function shaped<S extends TSchema>(schema: S, answer: unknown, url: string): Static<S> | null {
  if (answer === null || Value.Check(schema, answer)) return answer as Static<S> | null;
  const path = Value.Errors(schema, answer).First()?.path ?? "";
  throw new SourceFault(
    `Cannot read ${url}: its response is not what was expected${path === "" ? "" : ` (at ${path.slice(0, 100)})`}. Check the address`,
  );
}

/** The items that have this shape; the others are left out. */
export function soundItems<S extends TSchema>(
  schema: S,
  items: unknown[],
  kind: string,
  leftOut: Omission[],
): Static<S>[] {
  return items.filter((item): item is Static<S> => {
    if (Value.Check(schema, item)) return true;
    const { name, email } = (typeof item === "object" && item !== null ? item : {}) as Record<
      string,
      unknown
    >;
    const title = [name, email].find((value) => typeof value === "string") ?? "without a name";
    const { path = "" } = Value.Errors(schema, item).First() ?? {};
    const where = path.slice(1, 101) || "it";
    leftOut.push({ what: `${kind} ${title as string}`, why: `${where} is not what was expected` });
    return false;
  });
}

/** Items as they come; more than this are of somebody who means harm, as looking at each takes time. */
export const Items = Type.Array(Type.Unknown(), { maxItems: 10_000 });

/** Text, or nothing. */
export const MaybeText = Type.Optional(Type.Union([Type.String(), Type.Null()]));
