import { startScheduledRun as start } from "../src/automation/engine/schedule.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Starts a workflow for its audience, range by range. A second run goes on behind the last range. */
export async function startScheduledRun(
  ctx: Context,
  { projectId, runId }: Jobs["start_scheduled_run"],
): Promise<void> {
  await start(ctx, projectId, runId);
}
