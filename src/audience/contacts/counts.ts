import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { rollUpAll } from "../../rollup.ts";

/** Adds what has been counted since the last time to the counters. Returns whether there was anything. */
export async function rollUpContactCounts(ctx: Context): Promise<boolean> {
  const fields = await rollUpAll(ctx, q.contactCounts.rollUp);
  return (await rollUpAll(ctx, q.contactDays.rollUp)) || fields;
}
