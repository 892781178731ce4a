// An execution that is run by itself, each step in a commit of its own: a step that cannot be done fails there, and
// only there.
import { type Context, inTransaction, newId } from "../../context.ts";
import { isConflict, isDatabaseAway, isRefusal } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import type { Jobs } from "../../jobs.ts";
import { describeError } from "../../log.ts";
import { Problem } from "../../problem/mod.ts";
import { enqueue, runsAlone } from "../runs/jobs.ts";
import { reasonOf } from "../runs/failures.ts";
import { type ExecutionKey, holdRuns, type Run, stepOf, takeOutcome } from "../runs/run.ts";
import { isWalking, walk } from "./_walk.ts";
import { writeRuns } from "../runs/write.ts";

/** Errors that may pass are retried this often, over some minutes: each pause is three times the one before. */
const MAX_TRIES = 5;
const PAUSE_MS = 10_000;

/** Runs executions one by one, step by step. A second run continues where the first one came to. */
export async function runAlone(
  ctx: Context,
  { projectId, executionIds }: Jobs["run_executions"],
): Promise<void> {
  for (const id of executionIds) while (await stepAlone(ctx, { projectId, id }));
}

/** Takes one step. True when there is another one. */
async function stepAlone(ctx: Context, key: ExecutionKey): Promise<boolean> {
  try {
    return await holding(ctx, key, async (tx, run) => {
      await walk(tx, [run], 1);
      await writeRuns(tx, [run]);
      return isWalking(run);
    });
  } catch (error) {
    if (isDatabaseAway(error) || isConflict(error)) throw error;
    ctx.log.warn("a step failed", { executionId: key.id, ...describeError(error) });
    const isLasting = isRefusal(error) || error instanceof Problem;
    return await holding(ctx, key, async (tx, run) => {
      if (isLasting || run.tries + 1 >= MAX_TRIES) await fail(tx, run, error);
      else await tryAgain(tx, run);
      return false;
    });
  }
}

async function holding(
  ctx: Context,
  key: ExecutionKey,
  act: (tx: Context, run: Run) => Promise<boolean>,
): Promise<boolean> {
  return await inTransaction(ctx, async (tx) => {
    const [run] = await holdRuns(tx, [key]);
    return run !== undefined && isWalking(run) && (await act(tx, run));
  });
}

async function fail(tx: Context, run: Run, error: unknown): Promise<void> {
  const reason = reasonOf(error, stepOf(run).name);
  takeOutcome(run, newId(tx), tx.now(), { kind: "fail", reason }, tx.now());
  await writeRuns(tx, [run]);
}

async function tryAgain(tx: Context, run: Run): Promise<void> {
  const wakeAt = new Date(tx.now().getTime() + PAUSE_MS * 3 ** run.tries);
  await q.executionRun.tryAgain(tx, { projectId: run.projectId, executionId: run.id, wakeAt });
  await enqueue(tx, runsAlone([run], wakeAt));
}
