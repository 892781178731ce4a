// The log of a project's requests, as its members read it.
import { firstIdAt } from "../../audience/conditions/tree.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { FIRST_ID, LAST_ID, timeOf } from "../ids.ts";

/** How long requests are kept. */
export const KEPT_DAYS = 7;

/** How many rows a page looks at where its filters have no index: then it ends, full or not. */
const LOOKED_AT = 20_000;

/** Which requests are asked for. */
export interface RequestFilter {
  /** The statuses from the first to the last. */
  statuses?: { from: number; to: number } | undefined;
  method?: string | undefined;
  /** A path as it was called, or a route. */
  path?: string | undefined;
  /** A key besides the pair, one of the pair, or all sessions. */
  key?: { id: string } | { kind: "secret" | "public" | "session" } | undefined;
  from?: Date | undefined;
  until?: Date | undefined;
}

/** Where a page begins: before the request with this id, or at the newest one. */
export interface RequestPage {
  limit: number;
  beforeId: string | null;
}

type Row = Awaited<ReturnType<typeof q.requests.page>>[number];

/**
 * One page of the requests of a project that match a filter, newest first. `nextId` is where the next one begins, and
 * null at the end: a page of a filter that matches few may have less than it has room for, or nothing, although the list continues.
 */
export async function listRequests(
  ctx: Context,
  projectId: string,
  filter: RequestFilter,
  { limit, beforeId }: RequestPage,
) {
  const { statuses = { from: 0, to: 999 }, method, path, key, from, until } = filter;
  const isRefused = statuses.from >= 400;
  const end = until ? firstIdAt(until) : LAST_ID;
  const before = beforeId !== null && beforeId < end ? beforeId : end;
  const range = { projectId, since: from ? firstIdAt(from) : FIRST_ID, before };
  const isFiltered =
    filter.statuses !== undefined || [method, path, key].some((value) => value !== undefined);
  const edge = isFiltered
    ? await q.requests[isRefused ? "edgeOfRefused" : "edge"](ctx, { ...range, lookedAt: LOOKED_AT })
    : null;
  const rows = await q.requests[isRefused ? "refused" : "page"](ctx, {
    ...range,
    since: edge?.id ?? range.since,
    fromStatus: statuses.from,
    toStatus: statuses.to,
    method: method ?? null,
    path: path ?? null,
    keyId: key && "id" in key ? key.id : null,
    keyKind: key && "kind" in key ? key.kind : null,
    limit: limit + 1,
  });
  const requests = rows.slice(0, limit).map(toRequest);
  return { requests, nextId: rows.length > limit ? requests.at(-1)!.id : (edge?.id ?? null) };
}

/** One request, by its id or by the one that its caller gave it, with what was wrong and its body. Throws not-found. */
export async function getRequest(ctx: Context, projectId: string, id: string) {
  const row = await q.requests.byId(ctx, { projectId, requestId: id });
  if (!row) throw problems.notFound("request", id);
  const { errors, body, ...rest } = row;
  return { ...toRequest(rest), errors: errors as LoggedError[] | null, body };
}

/** What was wrong with a field. */
export interface LoggedError {
  field: string;
  code: string;
  message: string;
}

function toRequest(row: Row) {
  const { givenId, ms, keyKind, keyId, keyName, keyHint, userId, userEmail, ...rest } = row;
  return {
    ...rest,
    requestId: givenId ?? row.id,
    createdAt: timeOf(row.id),
    // A real has seven digits or so: the others are of no use.
    durationMs: Math.round(ms * 10) / 10,
    key: keyKind && { kind: keyKind as "secret" | "public", id: keyId, name: keyName, hint: keyHint! },
    user: userId && { id: userId, email: userEmail },
  };
}
