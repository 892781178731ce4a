import { sweepSegments as sweep } from "../src/audience/segments/upkeep.ts";
import type { Context } from "../src/context.ts";

/** Enqueues the five-minute look at tracked segments, a job for each project. A second run adds jobs that change nothing. */
export async function sweepSegments(ctx: Context): Promise<void> {
  await sweep(ctx);
}
