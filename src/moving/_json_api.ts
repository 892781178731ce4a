// The API of another service, read politely: one request at a time, again after a fault, and later where it says so.
import { setTimeout as pause } from "node:timers/promises";

/** How an API is asked. */
export interface JsonApiOptions {
  /** Where it is, such as https://api.example.com. */
  url: string;
  headers: Record<string, string>;
  /** For tests: what a second of waiting lasts. */
  secondMs?: number | undefined;
}

/** Reads JSON from a path; null for 404. */
export type JsonApi = (path: string) => Promise<unknown>;

const TRIES = 6;
const TIMEOUT_MS = 60_000;
const MAX_WAIT_S = 120;
const MAX_BYTES = 64 * 1_048_576;

/** An API. Throws an error that says what to do where the key is refused, or it does not answer after several tries. */
export function jsonApi({ url, headers, secondMs = 1_000 }: JsonApiOptions): JsonApi {
  const base = url.replace(/\/+$/, "");
  if (!/^https?:\/\/[^/]/.test(base)) throw new Error(`Cannot import from ${url}: give a URL with https://`);
  return async (path) => {
    for (let tried = 1; ; tried++) {
      const { answer, reason, waitS } = await ask(`${base}${path}`, headers);
      if (answer !== undefined) return answer;
      if (tried === TRIES) {
        throw new Error(
          `Cannot read ${base}${path}: ${reason}. What was imported stays; run the command again`,
        );
      }
      await pause(Math.min(waitS ?? 2 ** (tried - 1), MAX_WAIT_S) * secondMs);
    }
  };
}

async function ask(
  url: string,
  headers: Record<string, string>,
): Promise<{ answer?: unknown; reason?: string; waitS?: number }> {
  let response: Response;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    response = await fetch(url, {
      headers: { accept: "application/json", ...headers },
      signal,
      redirect: "error",
    });
    if (response.ok) {
      if (Number(response.headers.get("content-length") ?? 0) > MAX_BYTES)
        throw new Error("its answer is too large");
      return { answer: (await response.json()) as unknown };
    }
  } catch (error) {
    return { reason: (error as Error).message };
  }
  const { status } = response;
  await response.body?.cancel();
  if (status === 404) return { answer: null };
  if (status === 401 || status === 403) {
    throw new Error(`Cannot read ${url}: it refused the credentials (${status})`);
  }
  if (status < 500 && status !== 429) throw new Error(`Cannot read ${url}: it answered ${status}`);
  const wait = Number(response.headers.get("retry-after") ?? Number.NaN);
  return { reason: `it answered ${status}`, ...(wait >= 0 && { waitS: wait }) };
}
