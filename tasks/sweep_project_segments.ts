import { sweepProjectSegments as run } from "../src/audience/segments/upkeep.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Brings the tracked segments of one project up to date. A second run changes nothing. */
export async function sweepProjectSegments(
  ctx: Context,
  { projectId }: Jobs["sweep_project_segments"],
): Promise<void> {
  await run(ctx, projectId);
}
