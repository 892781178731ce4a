import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { priorityOf } from "../../jobs.ts";
import { enqueue, jobsFor } from "../runs/jobs.ts";

/** What has been due for so long, without anything having come of it, has lost its job. */
const OVERDUE_MS = 2 * 60_000;
const SWEEP_LIMIT = 10_000;

/**
 * Gives a job to executions that are due and have none, as after their project was enabled again. While the queue
 * itself is behind, nothing counts as lost. A sweep replaces what is left of the previous one.
 */
export async function sweepExecutions(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - OVERDUE_MS);
  const stranded = await q.executionRun.stranded(ctx, { before, limit: SWEEP_LIMIT });
  const [running, waiting] = (["RUNNING", "WAITING"] as const).map((status) =>
    stranded.filter((execution) => execution.status === status),
  );
  await enqueue(ctx, [
    ...jobsFor("run_executions", running!, {
      priority: priorityOf("run_executions", "patient"),
      keyOf: keyOf("run"),
    }),
    ...jobsFor("wake_executions", waiting!, { keyOf: keyOf("wake") }),
  ]);
}

function keyOf(what: string) {
  return (_ids: string[], n: number, projectId: string) => `sweep_executions:${what}:${projectId}:${n}`;
}
