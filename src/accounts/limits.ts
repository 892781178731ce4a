import { createBatcher } from "../batcher.ts";
import { type Context, perService } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem.ts";

/** What the rate limit says of one request. */
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

/**
 * Takes one request from the project's minute, which all processes share through the database, or throws
 * RATE_LIMIT_EXCEEDED. Requests are taken in small lots, so that most of them cost no round trip; near the limit
 * one by one, so that the limit is exact. Null when limits are off.
 */
export async function takeRequest(ctx: Context, projectId: string): Promise<RateLimit | null> {
  const limit = ctx.config.RATE_LIMIT_PER_MINUTE;
  if (limit === 0) return null;
  const seconds = ctx.now().getTime() / 1000;
  const minute = Math.floor(seconds / 60);
  const reset = Math.max(1, Math.ceil((minute + 1) * 60 - seconds));
  const { allowances, takings } = stateOf(ctx);
  let allowance = allowances.get(projectId);
  // Requests that come at once share one taking. Each looks again: the others may have used it up.
  while (!allowance || allowance.minute < minute || (allowance.left === 0 && allowance.used < limit)) {
    await (takings.get(projectId) ?? takeLot(ctx, projectId, minute, allowance));
    allowance = allowances.get(projectId);
  }
  if (allowance.left === 0) throw problems.rateLimitExceeded(limit, reset);
  allowance.left--;
  return { limit, remaining: Math.max(0, limit - allowance.used) + allowance.left, reset };
}

function takeLot(ctx: Context, projectId: string, minute: number, had: Allowance | undefined): Promise<void> {
  const { allowances, takings } = stateOf(ctx);
  const wanted = lotSize(ctx.config.RATE_LIMIT_PER_MINUTE, had?.minute === minute ? had.used : 0);
  const taking = takers(ctx)({ projectId, minute, wanted })
    .then((allowance) => void allowances.set(projectId, allowance))
    .finally(() => takings.delete(projectId));
  takings.set(projectId, taking);
  return taking;
}

const stateOf = perService(() => ({
  allowances: new Map<string, Allowance>(),
  takings: new Map<string, Promise<void>>(),
}));

const takers = perService((ctx) => {
  const { RATE_LIMIT_PER_MINUTE: limit } = ctx.config;
  type Taking = { projectId: string; minute: number; wanted: number };
  return createBatcher(
    async (takings: Taking[]) => {
      const minute = Math.max(...takings.map((taking) => taking.minute));
      const rows = await q.rateLimits.take(ctx, {
        minute,
        projectIds: takings.map((taking) => taking.projectId),
        requests: takings.map((taking) => taking.wanted),
      });
      const byProject = new Map(rows.map((row) => [row.projectId, row]));
      return takings.map(({ projectId, wanted }): Allowance => {
        const { used } = byProject.get(projectId)!;
        // Of what was taken, only what lies within the limit counts.
        return {
          minute,
          left: Math.max(0, Math.min(wanted, limit - (used - wanted))),
          used: Math.min(used, limit),
        };
      });
    },
    { maxItems: 500, maxFlights: 2, keyOf: (taking) => taking.projectId },
  );
});

/** A fiftieth of the limit, and one by one in the last fifth. */
function lotSize(limit: number, used: number): number {
  return used < limit * 0.8 ? Math.max(1, Math.floor(limit / 50)) : 1;
}
