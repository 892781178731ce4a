// One call as HTTP requests: the first one, and its repetitions.
import { errorOf, PostriderError } from "./errors.ts";

/** How an endpoint is called; generated from the OpenAPI document. */
export interface Operation {
  /** Such as `GET /contacts/{id}`. */
  endpoint: string;
  /** What comes after the values of the path, in this order. */
  takes: readonly ("body" | "query")[];
  /** The media type of a body that is not JSON. A form brings its own. */
  media?: string;
  /** It takes an `Idempotency-Key`. */
  keyed?: true;
  /** It takes an `Idempotency-Replay`: a repeated request can get the first answer. */
  replays?: true;
  /** It answers with a file or a stream, not with JSON. */
  file?: true;
  /** A list: how to get to the next page, and which field of the answer has the items. */
  list?: readonly ["cursor" | "page", items: string];
}

/** What a client is told once, for all of its calls. */
export interface Settings {
  key: string;
  /** Without a slash at the end. */
  baseUrl: string;
  timeoutMs: number;
  retries: number;
  fetch: Fetch;
}

/** As much of `fetch` as is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What can be said of one call. */
export interface CallOptions {
  /** Requests with the same key are carried out once within 24 hours. The client makes one where the endpoint takes one. */
  idempotencyKey?: string;
  /** The `ETag` of what was read: the call is refused with 412 if somebody else has changed it since. */
  ifMatch?: string;
  signal?: AbortSignal;
  /** For each attempt, in milliseconds. */
  timeoutMs?: number;
  /** How often at most a call is repeated that has failed. */
  retries?: number;
}

/** An answer with its status and headers. */
export interface Answered<T> {
  answer: T;
  status: number;
  headers: Headers;
}

/** The values of one call. */
export interface Input {
  path: readonly string[];
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
/** The service asks for a minute at most; a proxy that asks for more is told to the caller. */
const MAX_RETRY_AFTER_S = 60;
/** The service, or a proxy in front of it, is away for the moment. */
const AWAY = [502, 503, 504];

/**
 * Calls an endpoint. Repeats what was refused with 429, which was not carried out. After a lost connection, a timeout or a
 * 502 to 504 it repeats only what changes nothing, and what has an idempotency key. Throws {@linkcode PostriderError}, or
 * the reason of a signal that was aborted.
 */
export async function send(
  settings: Settings,
  operation: Operation,
  input: Input,
  options: CallOptions,
): Promise<Answered<unknown>> {
  const { retries = settings.retries, signal } = options;
  const idempotencyKey = options.idempotencyKey ?? (operation.keyed && newKey());
  const isRepeatable = operation.endpoint.startsWith("GET ") || idempotencyKey !== undefined;
  const request = requestOf(settings, operation, input, {
    ...options,
    ...(idempotencyKey && { idempotencyKey }),
  });
  for (let attempt = 0; ; attempt++) {
    // Of a batch that was carried out, each message would otherwise be answered with a 409 of its own.
    if (attempt > 0 && operation.replays) request.headers["idempotency-replay"] = "true";
    const outcome = await tryOnce(settings, operation, request, options);
    if (!(outcome instanceof PostriderError)) return outcome;
    // An attempt before this one was carried out, and its response was lost.
    if (attempt > 0 && outcome.code === "IDEMPOTENCY_KEY_REUSED") return originalOf(outcome);
    const isAway = outcome.status === null || AWAY.includes(outcome.status);
    const isWorthIt = outcome.status === 429 || (isAway && isRepeatable);
    const isPatient = (outcome.retryAfterS ?? 0) <= MAX_RETRY_AFTER_S;
    if (attempt >= retries || !isWorthIt || !isPatient || isStream(input.body)) throw outcome;
    await pause(outcome.retryAfterS === null ? backoffMs(attempt) : outcome.retryAfterS * 1000, signal);
  }
}

type Ready = RequestInit & { url: string; headers: Record<string, string> };

function requestOf(settings: Settings, operation: Operation, input: Input, options: CallOptions): Ready {
  const [method, pattern] = operation.endpoint.split(" ") as [string, string];
  const isJson = input.body !== undefined && !isRaw(input.body);
  const media = isJson ? "application/json" : input.body instanceof FormData ? undefined : operation.media;
  return {
    url: settings.baseUrl + pathOf(pattern, input.path) + queryOf(input.query),
    method,
    headers: {
      authorization: `Bearer ${settings.key}`,
      ...(input.body !== undefined && media && { "content-type": media }),
      ...(options.idempotencyKey && { "idempotency-key": options.idempotencyKey }),
      ...(options.ifMatch && { "if-match": options.ifMatch }),
    },
    ...(input.body !== undefined && { body: isJson ? JSON.stringify(input.body) : (input.body as BodyInit) }),
    // A stream is sent while it is read; without this Node refuses it.
    ...(isStream(input.body) && { duplex: "half" }),
  };
}

/** The answer, or why there is none. */
async function tryOnce(
  settings: Settings,
  operation: Operation,
  { url, ...request }: Ready,
  { signal, timeoutMs = settings.timeoutMs }: CallOptions,
): Promise<Answered<unknown> | PostriderError> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const onAbort = () => ending.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  const timer = setTimeout(() => ending.abort(), timeoutMs);
  try {
    const response = await settings.fetch(url, { ...request, signal: ending.signal });
    const { status, headers } = response;
    if (response.ok && operation.file) return { answer: response, status, headers };
    const text = await response.text();
    if (!response.ok) return errorOf(response, text);
    return { answer: text === "" ? undefined : JSON.parse(text), status, headers };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const { endpoint } = operation;
    if (!ending.signal.aborted) {
      const message = `Cannot reach the service for ${endpoint}`;
      return new PostriderError(message, { code: "CONNECTION_FAILED", cause });
    }
    const message = `Cannot wait longer than ${timeoutMs} ms for ${endpoint}`;
    return new PostriderError(message, { code: "TIMEOUT", cause });
  } finally {
    clearTimeout(timer);
    // What is left of a file is read after this, and can still be aborted.
    if (!operation.file) signal?.removeEventListener("abort", onAbort);
  }
}

function pathOf(pattern: string, values: readonly string[]): string {
  let next = 0;
  return pattern.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[next++];
    if (value === undefined || value === "")
      throw new TypeError(`Cannot call ${pattern} without its ${name}`);
    return encodeURIComponent(value);
  });
}

/** What is undefined is left out. */
function queryOf(query: Input["query"] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? "" : `?${parameters}`;
}

function originalOf({ details }: PostriderError): Answered<unknown> {
  const status = Number(details.originalStatusCode ?? 200);
  return { answer: details.originalResponse, status, headers: new Headers() };
}

/** Sent as it is. */
function isRaw(body: unknown): boolean {
  return (
    typeof body === "string" ||
    body instanceof FormData ||
    body instanceof Blob ||
    body instanceof Uint8Array ||
    isStream(body)
  );
}

/** What can be sent once. */
function isStream(body: unknown): boolean {
  return body instanceof ReadableStream;
}

/** `crypto.randomUUID` is missing in pages without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Half a second and longer each time; a part is left to chance, so that clients that failed together come back apart. */
function backoffMs(attempt: number): number {
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    const onAbort = () => end(() => reject(signal!.reason));
    const timer = setTimeout(() => end(resolve), ms);
    signal?.addEventListener("abort", onAbort);
  });
}
