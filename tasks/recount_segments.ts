import { recountSegments as recount } from "../src/audience/segments/upkeep.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Counts the members of segments anew. A second run counts the same. */
export async function recountSegments(
  ctx: Context,
  { projectId, segmentIds }: Jobs["recount_segments"],
): Promise<void> {
  await recount(ctx, projectId, segmentIds);
}
