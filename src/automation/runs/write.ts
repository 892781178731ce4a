import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { enqueue, jobsFor } from "./jobs.ts";
import type { Run } from "./run.ts";
import { beginWaits } from "./waits.ts";

/** Executions of one timer: those of a batch mostly continue at the same moment. */
const TIMER_SIZE = 500;

/**
 * Writes what has happened to runs since they were read, in one statement a table, however many they are: their
 * positions, histories, waits and timers.
 */
export async function writeRuns(tx: Context, runs: Run[]): Promise<void> {
  const moved = runs.filter((run) => run.moved > 0);
  if (moved.length === 0) return;
  await move(tx, moved);
  await tell(tx, moved);
  // A wait of before is over, whether or not another one has begun. Not every wait was for an event.
  const woken = moved.filter((run) => run.wasWaiting);
  if (woken.length > 0) {
    await q.waits.remove(tx, {
      projectIds: woken.map((run) => run.projectId),
      executionIds: woken.map((run) => run.id),
    });
  }
  await beginWaits(
    tx,
    moved.filter((run) => run.status === "WAITING" && run.awaits !== null),
  );
  await addTimers(tx, moved);
}

async function move(tx: Context, runs: Run[]): Promise<void> {
  const rows = runs.map((run) => ({
    project_id: run.projectId,
    id: run.id,
    revision: run.revision,
    moved: run.moved,
    status: run.status,
    step_id: run.status === "COMPLETED" || run.status === "EXITED" ? null : run.stepId,
    step_execution_id: run.openEntryId,
    depth: run.depth,
    context: run.hasNewContext ? run.context : undefined,
    exit_reason: run.exitReason,
    wake_at: run.wakeAt,
    completed_at: run.completedAt,
  }));
  const written = await q.executionRun.move(tx, { rows });
  if (written !== rows.length) throw new Error("Cannot move executions that have moved since they were read");
}

async function tell(tx: Context, runs: Run[]): Promise<void> {
  const told = runs.flatMap((run) =>
    run.told.map((page) => ({
      project_id: run.projectId,
      id: page.id,
      execution_id: run.id,
      step_id: page.stepId,
      seq: page.seq,
      status: page.status,
      output: page.output ?? undefined,
      error: page.error,
      started_at: page.startedAt,
      completed_at: page.completedAt,
    })),
  );
  const ended = runs.flatMap((run) =>
    run.ended.map((ending) => ({
      project_id: run.projectId,
      id: ending.id,
      status: ending.status,
      output: ending.output ?? undefined,
      error: ending.error,
      completed_at: ending.completedAt,
    })),
  );
  if (ended.length > 0) await q.executionRun.endSteps(tx, { rows: ended });
  if (told.length > 0) await q.executionRun.addSteps(tx, { rows: told });
}

/** One job for all executions of a project that continue at the same time. Calls to external services need none. */
async function addTimers(tx: Context, runs: Run[]): Promise<void> {
  const timed = runs.filter(
    (run) => run.status === "WAITING" && run.wakeAt !== null && run.told.at(-1)?.status === "WAITING",
  );
  const moments = Map.groupBy(timed, (run) => run.wakeAt!.getTime());
  const jobs = [...moments].flatMap(([ms, group]) => {
    const runAt = new Date(ms);
    return jobsFor("wake_executions", group, { size: TIMER_SIZE, runAt, more: { at: runAt.toISOString() } });
  });
  await enqueue(tx, jobs);
}
