import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";

const FOLD_LIMIT = 10_000;

/** Adds what has been counted since the last time to the counters, so that reading them stays quick. */
export async function foldContactCounts(ctx: Context): Promise<void> {
  while ((await q.contactCounts.fold(ctx, { limit: FOLD_LIMIT })) === FOLD_LIMIT);
}
