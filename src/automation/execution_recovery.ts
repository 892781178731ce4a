import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { addJobs } from "../jobs.ts";
import { addRuns } from "./execution_run.ts";

/** What has been due for so long, without anything having come of it, has lost its job. */
const OVERDUE_MS = 2 * 60_000;
const SWEEP_LIMIT = 10_000;
const EXECUTIONS_A_JOB = 200;

/**
 * Gives a job to executions that should go on and have none, as after their project was enabled again. As long as the
 * queue itself is behind, nothing counts as lost.
 */
export async function sweepExecutions(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - OVERDUE_MS);
  const stranded = await q.executionRun.stranded(ctx, { before, limit: SWEEP_LIMIT });
  const running = stranded.filter((execution) => execution.status === "RUNNING");
  await addRuns(ctx, running, { patient: true });
  const waiting = stranded.filter((execution) => execution.status === "WAITING");
  for (const [projectId, group] of Map.groupBy(waiting, (execution) => execution.projectId)) {
    const payloads = [];
    for (let i = 0; i < group.length; i += EXECUTIONS_A_JOB) {
      payloads.push({ projectId, executionIds: group.slice(i, i + EXECUTIONS_A_JOB).map(({ id }) => id) });
    }
    await addJobs(ctx, "wake_executions", payloads);
  }
}
