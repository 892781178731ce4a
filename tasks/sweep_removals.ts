import { sweepRemovals as sweep } from "../src/accounts/projects/removal.ts";
import type { Context } from "../src/context.ts";

/** Gives a job to every deletion and reset that has none. A second run finds that they have one. */
export async function sweepRemovals(ctx: Context): Promise<void> {
  await sweep(ctx);
}
