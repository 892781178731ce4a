// Writes down the requests of projects, after their answers and in batches. Nobody waits for it: where the database is away
// or slow, what there is no room for in memory is dropped, and counted.
import { createCache } from "../../cache.ts";
import { type Context, newId, perService } from "../../context.ts";
import { isDatabaseAway, isTimeout } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import { metersOf } from "../../meters.ts";
import type { FieldError } from "../../problem/mod.ts";
import { addressesIn, describeBody, withoutSecrets } from "./_redaction.ts";
import { roomOf } from "./_room.ts";

/** Who made a request. */
export type Caller =
  | { kind: "secret" | "public"; id: string | null; name: string | null; hint: string }
  | { kind: "session"; userId: string };

/** A request that was answered. */
export interface AnsweredRequest {
  projectId: string;
  caller: Caller;
  /** Its `X-Request-Id`. */
  requestId: string;
  /** The caller chose that id. */
  isGiven: boolean;
  method: string;
  route: string;
  url: string;
  userAgent: string | null;
  status: number;
  ms: number;
  /** Why it was refused. */
  refusal: { code: string; message: string; errors: FieldError[] } | null;
  /** As JSON, or the beginning of a text that is none; undefined if none was read. */
  body: unknown;
}

const LEFT_OUT = { outcome: "left_out" } as const;
const DROPPED = { outcome: "dropped" } as const;
const BATCH = 500;
const EVERY_MS = 1_000;
/** After a failure. */
const PAUSE_MS = 5_000;
/** What waits at most: rows, and about so many characters. */
const MAX_WAITING = 5_000;
const MAX_WAITING_LENGTH = 8_000_000;
const MAX_PATH_LENGTH = 1_000;
const MAX_TEXT_LENGTH = 500;
const MAX_AGENT_LENGTH = 200;
const MAX_ERRORS = 20;

/**
 * Notes a request of a project, to be written within about a second. It costs no more than its answer's log line, and where
 * the project has too many almost nothing: `describe` is not called then.
 */
export function recordRequest(
  ctx: Context,
  projectId: string,
  status: number,
  describe: () => AnsweredRequest,
): void {
  if (ctx.config.REQUEST_LOG_PER_MINUTE === 0) return;
  const queue = queueOf(ctx);
  const room = roomOf(ctx, projectId);
  if (!room.take(status < 400 ? "answered" : "refused")) {
    room.leaveOut(1);
    return metersOf(ctx).requestLog.inc(LEFT_OUT);
  }
  if (queue.rows.length >= MAX_WAITING || queue.length >= MAX_WAITING_LENGTH) {
    room.leaveOut(1);
    return metersOf(ctx).requestLog.inc(DROPPED);
  }
  const request = describe();
  const withBody = request.status >= 400 && request.body !== undefined && room.take("body");
  const row = toRow(ctx, request, withBody, room.takeLeftOut());
  queue.rows.push(row);
  queue.length += lengthOf(row);
  plan(ctx, queue, queue.rows.length >= BATCH ? 0 : EVERY_MS);
}

/** Writes what waits, and resolves when it is written or there is no hope at the moment. */
export async function flushRequests(ctx: Context): Promise<void> {
  const queue = queueOf(ctx);
  await (queue.underway ??= write(ctx, queue).finally(() => {
    queue.underway = null;
    if (queue.rows.length > 0) plan(ctx, queue, PAUSE_MS);
  }));
}

type Row = ReturnType<typeof toRow>;

interface Queue {
  rows: Row[];
  length: number;
  timer: { timer: Timer; at: number } | null;
  underway: Promise<void> | null;
}

const queueOf = perService((): Queue => ({ rows: [], length: 0, timer: null, underway: null }));

/** Has the queue written in so many milliseconds, or sooner. What comes while it is being written goes along. */
function plan(ctx: Context, queue: Queue, ms: number): void {
  if (queue.underway) return;
  const at = performance.now() + ms;
  if (queue.timer && queue.timer.at <= at) return;
  clearTimeout(queue.timer?.timer);
  const timer = setTimeout(() => {
    queue.timer = null;
    void flushRequests(ctx);
  }, ms);
  timer.unref();
  queue.timer = { timer, at };
}

async function write(ctx: Context, queue: Queue): Promise<void> {
  while (queue.rows.length > 0) {
    const rows = queue.rows.slice(0, BATCH);
    try {
      await q.requests.add(ctx, { rows });
      metersOf(ctx).requestLog.inc({ outcome: "written" }, rows.length);
    } catch (error) {
      // Until the database is back; rows that were written anyway are not written twice.
      if (isDatabaseAway(error) || isTimeout(error)) return;
      ctx.log.warn("requests not written down", { requests: rows.length, ...describeError(error) });
      metersOf(ctx).requestLog.inc({ outcome: "dropped" }, rows.length);
    }
    queue.rows.splice(0, rows.length);
    for (const row of rows) queue.length -= lengthOf(row);
  }
}

function toRow(ctx: Context, request: AnsweredRequest, withBody: boolean, leftOut: number) {
  const { caller, refusal, requestId, isGiven } = request;
  const path = shownPath(request);
  const message = refusal && cut(withoutSecrets(refusal.message), MAX_TEXT_LENGTH);
  const errors = refusal?.errors.length ? refusal.errors.slice(0, MAX_ERRORS).map(shownError) : null;
  const body = withBody ? describeBody(request.body) : null;
  const addresses = addressesIn([
    path,
    message,
    body,
    errors && errors.map((error) => error.message).join(" "),
  ]);
  const key = caller.kind === "session" ? null : caller;
  return {
    project_id: request.projectId,
    id: isGiven ? newId(ctx, new Date(ctx.now().getTime() - request.ms)) : requestId,
    given_id: isGiven ? requestId : null,
    method: request.method,
    route: request.route,
    path,
    status: request.status,
    ms: request.ms,
    code: refusal?.code ?? null,
    message,
    errors,
    key_kind: key && key.kind,
    key_id: key && key.id,
    key_name: key && key.name,
    key_hint: key && key.hint,
    user_id: caller.kind === "session" ? caller.userId : null,
    user_agent: request.userAgent && shownAgent(ctx, request.userAgent),
    body,
    addresses: addresses.length > 0 ? addresses : null,
    left_out: leftOut,
  };
}

/** Where the path is that of the route, there is no secret in it. */
function shownPath({ url, route }: AnsweredRequest): string {
  const path = pathOf(url);
  return path === route ? path : cut(withoutSecrets(path.slice(0, MAX_PATH_LENGTH)), MAX_PATH_LENGTH);
}

/** A few programs make most of the requests. */
const agentsOf = perService(() => createCache<string>({ maxEntries: 1_000, maxBytes: 1_000_000 }));

function shownAgent(ctx: Context, agent: string): string {
  const known = agentsOf(ctx).get(agent);
  if (known !== undefined) return known;
  const shown = cut(withoutSecrets(agent), MAX_AGENT_LENGTH);
  agentsOf(ctx).set(agent, shown, agent.length + shown.length);
  return shown;
}

/** Without what was received: that is in the body. */
function shownError({ field, code, message }: FieldError) {
  return {
    field: cut(withoutSecrets(field), MAX_TEXT_LENGTH),
    code,
    message: cut(withoutSecrets(message), MAX_TEXT_LENGTH),
  };
}

/** About the memory that a row takes. */
function lengthOf({ path, message, body, errors }: Row): number {
  return (
    500 + path.length + (message?.length ?? 0) + (body?.length ?? 0) + (errors?.length ?? 0) * MAX_TEXT_LENGTH
  );
}

function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return start === -1 ? "/" : url.slice(start);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
