// Runs move from step to step until all of them wait or have ended: in passes, and in each pass all that are at the
// same step do it together.
import { type Context, newId } from "../../context.ts";
import { type Run, stepOf, takeOutcome } from "../runs/run.ts";
import { stepTypeOf } from "../steps/mod.ts";

/** True for a run that has somewhere to go now. */
export function isWalking(run: Run): boolean {
  return run.status === "RUNNING" && !run.heldUp;
}

/**
 * Takes up to `passes` steps with each run. Effects and moves belong to one transaction: the caller writes the moves,
 * and continues with the runs that are still moving in another one.
 */
export async function walk(tx: Context, runs: Run[], passes: number): Promise<void> {
  const late = new Set<Run>();
  for (let pass = 0; pass < passes; pass++) {
    const walking = runs.filter((run) => isWalking(run) && !late.has(run));
    if (walking.length === 0) return;
    const groups = Map.groupBy(walking, (run) => `${run.versionId} ${run.stepId}`);
    for (const group of groups.values()) for (const run of await take(tx, group)) late.add(run);
  }
}

/** Takes a step with each run; returns those that will take it later. */
async function take(tx: Context, runs: Run[]): Promise<Run[]> {
  const step = stepOf(runs[0]!);
  const startedAt = tx.now();
  const visits = runs.map((run) => ({ run, entryId: newId(tx) }));
  const outcomes = await stepTypeOf(step).perform(tx, step, visits);
  const now = tx.now();
  return visits.flatMap(({ run, entryId }, i) => {
    const outcome = outcomes[i]!;
    if (outcome === "later") return [run];
    takeOutcome(run, entryId, startedAt, outcome, now);
    return [];
  });
}
