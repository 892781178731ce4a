import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { foldAll } from "../../folding.ts";

/** Adds what has been counted since the last time to the counters. Answers whether there was anything. */
export async function foldContactCounts(ctx: Context): Promise<boolean> {
  return await foldAll(ctx, q.contactCounts.fold);
}
