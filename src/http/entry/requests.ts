// What is known about a request besides its answer: its id, when it began, whose it is.
import type { Context } from "../../context.ts";
import { type Caller, recordRequest } from "../../insight/requests/log.ts";
import type { Log } from "../../log.ts";
import { metersOf } from "../../meters.ts";
import type { Problem } from "../../problem/mod.ts";

interface Noted {
  requestId: string;
  /** The caller chose the id. */
  isGiven: boolean;
  startedAt: number;
  /** Where it is traced. */
  route?: string;
  projectId?: string;
  /** Who makes it for the project. */
  caller?: Caller;
  /** As JSON, or the beginning of a text that is none. */
  body?: unknown;
  refusal?: Problem;
  /** Why it was refused. */
  code?: string;
  /** Refused because of load: not an internal error. */
  isLoad?: boolean;
  error?: Record<string, unknown>;
}

/** Of pages, which say in words what is wrong. */
const PAGE_CODES: Record<number, string> = {
  400: "BAD_REQUEST",
  404: "RESOURCE_NOT_FOUND",
  429: "RATE_LIMIT_EXCEEDED",
};

const noted = new WeakMap<Request, Noted>();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Opens the record of a request and returns its id: the caller's own `X-Request-Id` when that is a UUID, otherwise a new
 * one, whose time is that of the request.
 */
export function begin(request: Request, now = new Date()): string {
  const given = request.headers.get("x-request-id");
  const isGiven = given !== null && UUID.test(given);
  const requestId = isGiven ? given.toLowerCase() : Bun.randomUUIDv7("hex", now);
  noted.set(request, { requestId, isGiven, startedAt: performance.now() });
  return requestId;
}

/** Adds to the record of a request. */
export function note(request: Request, more: Partial<Noted>): void {
  const record = noted.get(request);
  if (record) Object.assign(record, more);
}

/** What is known about a request, if it has been begun. */
export function recordOf(request: Request): Readonly<Partial<Noted>> {
  return noted.get(request) ?? {};
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
  const {
    requestId,
    startedAt,
    projectId,
    caller,
    code = PAGE_CODES[status],
    isLoad,
    error,
  }: Partial<Noted> & { startedAt: number } = noted.get(request) ?? { startedAt: 0 };
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  // A probe comes every few seconds: it is logged only when it fails.
  if (route === "/health" && status === 200) return ms / 1000;
  // 501 names what this installation lacks: nothing is broken.
  const level = status < 500 || status === 501 ? "info" : isLoad ? "warn" : "error";
  const keyId = caller && caller.kind !== "session" && caller.id;
  const whose = { projectId, ...(keyId && { keyId }) };
  log[level]("request", { requestId, method: request.method, route, status, code, ms, ...whose, ...error });
  return ms / 1000;
}

/** A caller can make up methods: each would be a series of its own. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** What there is to do once a request was answered: its log line, its metrics, and its place in the log of its project. */
export function endRequest(
  ctx: Context,
  request: Request,
  matched: string | undefined,
  status: number,
): void {
  // A list is routed with a slash at its end, and nobody writes it.
  const route = matched?.replace(/(.)\/$/, "$1") || "unknown";
  const seconds = logRequest(ctx.log, request, route, status);
  measure(ctx, request.method, route, status, seconds);
  keepRequest(ctx, request, route, status);
}

function measure(ctx: Context, method: string, route: string, status: number, seconds: number): void {
  const { requests, answers, areas, areaSeconds } = metersOf(ctx);
  // `/contacts` of `/contacts/:id`.
  const area = /^\/?[^/]*/.exec(route)![0];
  // 501 names what this installation lacks: nothing is broken.
  const hasFailed = status >= 500 && status !== 501;
  requests.observe({ method: METHODS.has(method) ? method : "other" }, seconds);
  answers.inc({ status });
  areas.inc({ area, outcome: status < 400 ? "done" : hasFailed ? "failed" : "refused" });
  areaSeconds.inc({ area }, seconds);
}

/**
 * Adds a request to the log of its project, if it has one. What members read in sessions is left out, as it would fill the
 * log with what a console asks for by itself; and so is the reading of the log.
 */
function keepRequest(ctx: Context, request: Request, route: string, status: number): void {
  const known = noted.get(request);
  if (!known?.caller || !known.projectId || /^\/requests(\/|$)/.test(route)) return;
  const { caller, projectId, refusal, body, requestId, isGiven, startedAt } = known;
  const { method } = request;
  if (caller.kind === "session" && (method === "GET" || method === "HEAD")) return;
  recordRequest(ctx, projectId, status, () => ({
    projectId,
    caller,
    requestId,
    isGiven,
    method,
    route,
    url: request.url,
    userAgent: request.headers.get("user-agent"),
    status,
    ms: performance.now() - startedAt,
    refusal: refusal
      ? { code: refusal.problemCode, message: refusal.message, errors: refusal.extras.errors ?? [] }
      : null,
    body,
  }));
}
