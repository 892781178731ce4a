// The engine. Jobs that run at the same time share a transaction, in which executions start, wake and move as far as
// they can. What a step does and the move to the next one are one commit, so each step is done once, whenever a process
// dies; no network call is part of it.
import { createBatcher } from "../../batcher.ts";
import { type Context, perService } from "../../context.ts";
import type { Jobs } from "../../jobs.ts";
import { runAlone } from "./_alone.ts";
import { addRuns } from "../runs/jobs.ts";
import { paced } from "./_pace.ts";
import { endWait, failWait, holdRuns } from "../runs/run.ts";
import { type EngineRequest, runBatch } from "./_batch.ts";
import { isWalking } from "./_walk.ts";
import { writeRuns } from "../runs/write.ts";
import type { StepEnd } from "../webhooks/mod.ts";

/** How many jobs share a transaction, and how many such transactions run at once: one works while another commits. */
const JOBS_A_BATCH = 10;
const BATCHES = 2;

const engineOf = perService((ctx) =>
  createBatcher((requests: EngineRequest[]) => paced(ctx, () => runBatch(ctx, requests)), {
    name: "run workflows",
    maxItems: JOBS_A_BATCH,
    maxFlights: BATCHES,
  }),
);

/** Starts what listens to these events, and wakes what waits for them. A second call starts and wakes nothing. */
export async function startWorkflows(ctx: Context, job: Jobs["start_workflows"]): Promise<void> {
  await engineOf(ctx)({ kind: "events", job });
}

/** Ends delays and timeouts that are over. A second call finds that they have ended. */
export async function wakeExecutions(ctx: Context, job: Jobs["wake_executions"]): Promise<void> {
  await engineOf(ctx)({ kind: "wake", job });
}

/** Advances executions as far as possible. A second call continues where the first one stopped. */
export async function runExecutions(ctx: Context, job: Jobs["run_executions"]): Promise<void> {
  if (job.alone) return await runAlone(ctx, job);
  await engineOf(ctx)({ kind: "run", job });
}

/**
 * Ends a step that somebody outside was asked for, in the transaction of `tx`: the execution continues in a job, or it has
 * FAILED. Nothing happens where it waits for that no more.
 */
export async function finishStep(
  tx: Context,
  { projectId, executionId, stepExecutionId, ok, output, error }: StepEnd,
): Promise<void> {
  const [run] = await holdRuns(tx, [{ projectId, id: executionId }]);
  if (run?.status !== "WAITING" || run.openEntryId !== stepExecutionId) return;
  if (ok) endWait(run, null, output, tx.now());
  else failWait(run, error ?? "The webhook could not be called", output, tx.now());
  await writeRuns(tx, [run]);
  await addRuns(tx, [run].filter(isWalking));
}
