// What somebody may do up to a number of times a day (UTC), over all processes, even if the projects it was done in are
// gone.
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Problem } from "../problem/mod.ts";

/** Adds one to today's count, and returns it. */
export async function countToday(tx: Context, key: string): Promise<number> {
  const [row] = await q.dailyCounts.add(tx, { keys: [key], now: tx.now() });
  return row!.count;
}

/**
 * Adds one to today's count of each key. Throws `refusal`, with the seconds until tomorrow, where one is over its
 * limit: rolling back the transaction then undoes the counting.
 */
export async function takeToday(
  tx: Context,
  limits: Record<string, number>,
  refusal: (retryAfter: number) => Problem,
): Promise<void> {
  const now = tx.now();
  const counts = await q.dailyCounts.add(tx, { keys: Object.keys(limits), now });
  if (counts.some(({ key, count }) => count > limits[key]!)) throw refusal(secondsOfDayLeft(now));
}

/** Forgets the days that are over. */
export async function purgeDailyCounts(ctx: Context): Promise<void> {
  await q.dailyCounts.purge(ctx, { now: ctx.now() });
}

function secondsOfDayLeft(now: Date): number {
  return 86_400 - (Math.floor(now.getTime() / 1000) % 86_400);
}
