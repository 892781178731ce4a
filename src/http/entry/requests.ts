// What is known about a request besides its answer: its id, when it began, whose it is.
import type { Log } from "../../log.ts";

interface Noted {
  requestId: string;
  startedAt: number;
  projectId?: string;
  /** The named key that it came with. */
  keyId?: string;
  /** Why it was refused. */
  code?: string;
  /** Refused because of load: not an internal error. */
  isLoad?: boolean;
  error?: Record<string, unknown>;
}

const noted = new WeakMap<Request, Noted>();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Opens the record of a request and returns its id: the caller's own `X-Request-Id` when that is a UUID. */
export function begin(request: Request): string {
  const given = request.headers.get("x-request-id");
  const requestId = given !== null && UUID.test(given) ? given.toLowerCase() : crypto.randomUUID();
  noted.set(request, { requestId, startedAt: performance.now() });
  return requestId;
}

/** Adds to the record of a request. */
export function note(request: Request, more: Partial<Noted>): void {
  const record = noted.get(request);
  if (record) Object.assign(record, more);
}

/** The id of a request, as its answer and its log line have it. */
export function requestIdOf(request: Request): string {
  return noted.get(request)?.requestId ?? begin(request);
}

/**
 * Writes the one log line of a request, and returns how many seconds it took. The path is left out: it may contain a
 * token.
 */
export function logRequest(log: Log, request: Request, route: string, status: number): number {
  const { requestId, startedAt, projectId, keyId, code, isLoad, error }: Noted = noted.get(request) ?? {
    requestId: "",
    startedAt: 0,
  };
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  // A probe every few seconds is no news as long as it succeeds.
  if (route === "/health" && status === 200) return ms / 1000;
  // 501 names what this installation lacks: nothing is broken.
  const level = status < 500 || status === 501 ? "info" : isLoad ? "warn" : "error";
  const whose = { projectId, ...(keyId && { keyId }) };
  log[level]("request", { requestId, method: request.method, route, status, code, ms, ...whose, ...error });
  return ms / 1000;
}
