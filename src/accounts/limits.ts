import { createHash } from "node:crypto";
import { createBatcher } from "../batcher.ts";
import { type Context, perService } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem/mod.ts";

/** The rate limit for one request. */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** Seconds until the minute is over. */
  reset: number;
}

/** Requests that this process has taken from the shared minute and not used yet. */
interface Allowance {
  minute: number;
  left: number;
  /** What all processes have taken. */
  used: number;
}

/** Whose minute it is: of a project, or of a user, in one project or outside of any. Their ids never meet. */
type Whose = "project" | "user";

/**
 * Takes one request from the project's minute, which all processes share through the database, or throws
 * RATE_LIMIT_EXCEEDED. Requests are taken in small lots, so that most of them cost no round trip; near the limit
 * one by one, so that the limit is exact. Null when limits are off.
 */
export async function takeRequest(ctx: Context, projectId: string): Promise<RateLimit | null> {
  return await takeFrom(ctx, "project", projectId);
}

/** The same of a user who acts for no project: as many requests a minute as one has. */
export async function takeUserRequest(ctx: Context, userId: string): Promise<RateLimit | null> {
  return await takeFrom(ctx, "user", userId);
}

/**
 * The same of a member who works on a project in a session: as many requests a minute as the project has, which do not
 * count against those of its applications.
 */
export async function takeMemberRequest(
  ctx: Context,
  projectId: string,
  userId: string,
): Promise<RateLimit | null> {
  return await takeFrom(ctx, "user", idOfBoth(projectId, userId));
}

/** One id for two. */
function idOfBoth(projectId: string, userId: string): string {
  const hex = createHash("sha256").update(`${projectId} ${userId}`).digest("hex");
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Forgets the minutes of users that are long over. */
export async function purgeUserRates(ctx: Context): Promise<void> {
  await q.rateLimits.purge(ctx, { minute: Math.floor(ctx.now().getTime() / 60_000) });
}

async function takeFrom(ctx: Context, whose: Whose, id: string): Promise<RateLimit | null> {
  const limit = ctx.config.RATE_LIMIT_PER_MINUTE;
  if (limit === 0) return null;
  const seconds = ctx.now().getTime() / 1000;
  const minute = Math.floor(seconds / 60);
  const reset = Math.max(1, Math.ceil((minute + 1) * 60 - seconds));
  const { allowances, takings } = stateOf(ctx);
  let allowance = allowances.get(id);
  // Concurrent requests share one lot. Each checks again: the others may have used it up.
  while (!allowance || allowance.minute < minute || (allowance.left === 0 && allowance.used < limit)) {
    await (takings.get(id) ?? takeLot(ctx, whose, id, minute, allowance));
    allowance = allowances.get(id);
  }
  if (allowance.left === 0) throw problems.rateLimitExceeded(limit, reset, whose);
  allowance.left--;
  return { limit, remaining: Math.max(0, limit - allowance.used) + allowance.left, reset };
}

function takeLot(
  ctx: Context,
  whose: Whose,
  id: string,
  minute: number,
  had: Allowance | undefined,
): Promise<void> {
  const { allowances, takings } = stateOf(ctx);
  const wanted = lotSize(ctx.config.RATE_LIMIT_PER_MINUTE, had?.minute === minute ? had.used : 0);
  const take = takers(ctx)[whose];
  const taking = take({ id, minute, wanted })
    .then((allowance) => void allowances.set(id, allowance))
    .finally(() => takings.delete(id));
  takings.set(id, taking);
  return taking;
}

const stateOf = perService(() => ({
  allowances: new Map<string, Allowance>(),
  takings: new Map<string, Promise<void>>(),
}));

type Used = { id: string; used: number }[];
type TakeMany = (ctx: Context, minute: number, ids: string[], requests: number[]) => Promise<Used>;

const ofProjects: TakeMany = async (ctx, minute, projectIds, requests) =>
  (await q.rateLimits.take(ctx, { minute, projectIds, requests })).map(({ projectId: id, used }) => ({
    id,
    used,
  }));

const ofUsers: TakeMany = async (ctx, minute, userIds, requests) =>
  (await q.rateLimits.takeByUsers(ctx, { minute, userIds, requests })).map(({ userId: id, used }) => ({
    id,
    used,
  }));

const takers = perService((ctx) => ({
  project: takerBy(ctx, ofProjects),
  user: takerBy(ctx, ofUsers),
}));

function takerBy(ctx: Context, takeMany: TakeMany) {
  const { RATE_LIMIT_PER_MINUTE: limit } = ctx.config;
  type Taking = { id: string; minute: number; wanted: number };
  return createBatcher(
    async (takings: Taking[]) => {
      const minute = Math.max(...takings.map((taking) => taking.minute));
      const rows = await takeMany(
        ctx,
        minute,
        takings.map(({ id }) => id),
        takings.map(({ wanted }) => wanted),
      );
      const usedBy = new Map(rows.map(({ id, used }) => [id, used]));
      return takings.map(({ id, wanted }): Allowance => {
        const used = usedBy.get(id)!;
        // Of the lot, only what is within the limit counts.
        return {
          minute,
          left: Math.max(0, Math.min(wanted, limit - (used - wanted))),
          used: Math.min(used, limit),
        };
      });
    },
    { maxItems: 500, maxFlights: 2, keysOf: ({ id }) => [id] },
  );
}

/** A fiftieth of the limit, and one by one in the last fifth. */
function lotSize(limit: number, used: number): number {
  return used < limit * 0.8 ? Math.max(1, Math.floor(limit / 50)) : 1;
}
