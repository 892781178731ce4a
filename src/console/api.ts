// The service, as the console calls it: typed by its own OpenAPI document. Nothing here remembers a project: each call says
// which one it means.
import type { Api } from "./api.gen.ts";
import { doubtSession, lostContact, madeContact } from "./connection.ts";

/** An endpoint by its method and pattern, such as `GET /contacts/{id}`. */
export type Endpoint = keyof Api;
/** What an endpoint takes: `path`, `query` and `body`, where it has them. */
export type Input<K extends Endpoint> = Omit<Api[K], "answer">;
/** What an endpoint answers with. */
export type Answer<K extends Endpoint> = Api[K]["answer"];

/** What a call says besides what the endpoint takes. */
export interface CallOptions {
  /** The project that is meant. Null if the endpoint is about no project, or names it in its path. */
  projectId?: string | null;
  signal?: AbortSignal;
  /** The `etag` of what was read: the call is refused with 412 where it was changed since. */
  ifMatch?: string | undefined;
  /** One for each thing that is to happen once, however often it is sent. */
  idempotencyKey?: string;
}

/** One field that is wrong. `field` is a path such as `steps.2.name`. */
export interface FieldFault {
  field: string;
  message: string;
  code?: string;
  /** Where in a text, from 1. */
  line?: number;
  column?: number;
}

/** Told to programs: pages say in their own words what to do. */
const NAMES_ENDPOINT = /\b(GET|POST|PUT|PATCH|DELETE) \//;

/** A refusal of the service. Its message is a sentence for people. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: FieldFault[];
  readonly details: Record<string, unknown>;
  /** What to do about it, if the service knows. */
  readonly suggestion: string | null;
  /** What the log has it under. */
  readonly requestId: string | null;
  readonly retryAfterS: number | null;

  constructor(response: Response, body: unknown) {
    const error = errorOf(body);
    super(error.message ?? `The service answered with status ${response.status}`);
    this.status = response.status;
    this.code = error.code ?? "";
    this.fields = error.errors ?? [];
    this.details = error.details ?? {};
    this.suggestion = error.suggestion && !NAMES_ENDPOINT.test(error.suggestion) ? error.suggestion : null;
    this.requestId = error.requestId ?? response.headers.get("x-request-id");
    this.retryAfterS = Number(response.headers.get("retry-after")) || null;
  }
}

/** The service could not be reached at all. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super("The service cannot be reached", { cause });
  }
}

interface ErrorBody {
  message?: string;
  code?: string;
  errors?: FieldFault[];
  details?: Record<string, unknown>;
  suggestion?: string;
  requestId?: string;
}

/** Most errors are an envelope; some are `{ error: "a sentence" }`. */
function errorOf(body: unknown): ErrorBody {
  const { error } = (body ?? {}) as { error?: string | ErrorBody };
  return typeof error === "string" ? { message: error } : (error ?? {});
}

/** Where the service is, below its origin: empty unless a proxy has put it below a path. */
export const BASE = document.querySelector<HTMLMetaElement>('meta[name="base"]')?.content ?? "";

/**
 * Calls one endpoint, such as `call("GET /contacts/{id}", { path: { id } }, { projectId })`. Throws {@linkcode Refusal} for
 * what the service refuses, {@linkcode Unreachable} if there is no answer.
 */
export async function call<K extends Endpoint>(
  endpoint: K,
  input: Input<K>,
  options: CallOptions = {},
): Promise<Answer<K>> {
  return (await callForVersion(endpoint, input, options)).answer;
}

/** As {@linkcode call}, with the `etag` of the answer, to be given as `ifMatch` when it is saved. */
export async function callForVersion<K extends Endpoint>(
  endpoint: K,
  input: Input<K>,
  options: CallOptions = {},
): Promise<{ answer: Answer<K>; etag: string | undefined }> {
  const { path, query, body } = input as Parts;
  const [method, pattern] = endpoint.split(" ") as [string, string];
  const response = await send(addressOf(pattern, path, query), {
    method,
    headers: headersOf(body, options),
    ...(body !== undefined && { body: isRaw(body) ? body : JSON.stringify(body) }),
    ...(options.signal && { signal: options.signal }),
  });
  const text = await response.text();
  const parsed = isJson(response) && text !== "" ? JSON.parse(text) : undefined;
  const { status } = response;
  // What says which roles one has is not asked again by its own refusal.
  if (status === 401 || (status === 403 && endpoint !== "GET /users/@me/projects")) doubtSession(status);
  if (!response.ok) throw new Refusal(response, parsed);
  const answer = (isJson(response) ? parsed : text || undefined) as Answer<K>;
  return { answer, etag: response.headers.get("etag") ?? undefined };
}

/** The address of something to download, or of a stream: a link cannot send which project it means, so the address says it. */
export function linkTo<K extends Endpoint>(endpoint: K, input: Input<K>, projectId: string): string {
  const { path, query } = input as Parts;
  return addressOf(endpoint.split(" ")[1]!, path, { ...query, projectId });
}

interface Parts {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

function addressOf(pattern: string, path: Parts["path"] = {}, query: Parts["query"] = {}): string {
  const filled = pattern.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(path[name]!));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") parameters.set(name, String(value));
  }
  const asked = parameters.toString();
  return BASE + filled + (asked && `?${asked}`);
}

function headersOf(
  body: unknown,
  { projectId, ifMatch, idempotencyKey }: CallOptions,
): Record<string, string> {
  return {
    accept: "application/json",
    ...(projectId && { "x-project-id": projectId }),
    ...(ifMatch && { "if-match": ifMatch }),
    ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
    ...(body !== undefined && !isRaw(body) && { "content-type": "application/json" }),
  };
}

/** A form, or a file: sent as it is. */
function isRaw(body: unknown): body is FormData | Blob {
  return body instanceof FormData || body instanceof Blob;
}

const isJson = (response: Response) => response.headers.get("content-type")?.includes("json") ?? false;

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, { credentials: "same-origin", ...init });
    if (response.status >= 502) lostContact();
    else madeContact();
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    lostContact();
    throw new Unreachable(error);
  }
}
