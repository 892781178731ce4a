import type { Context } from "../src/context.ts";
import { recountProject } from "../src/insight/counts/audit.ts";
import type { Jobs } from "../src/jobs.ts";

/** Makes the counters of a project that was reset equal what is left. A second run changes nothing. */
export async function recountCounts(ctx: Context, { projectId }: Jobs["recount_counts"]): Promise<void> {
  await recountProject(ctx, projectId, { forgets: true });
}
