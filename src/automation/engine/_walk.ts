// Runs go from step to step until all of them wait or have ended: in waves, and in each wave those that stand at the
// same step take it together.
import { type Context, newId } from "../../context.ts";
import { type Run, stepOf, takeOutcome } from "../runs/run.ts";
import { stepTypeOf } from "../steps/mod.ts";

/** True for a run that has somewhere to go now. */
export function isWalking(run: Run): boolean {
  return run.status === "RUNNING" && !run.heldUp;
}

/**
 * Takes up to `waves` steps with each run. Effects and moves belong to one transaction: the caller writes the moves, and
 * has whatever is still walking go on in another one.
 */
export async function walk(tx: Context, runs: Run[], waves: number): Promise<void> {
  const late = new Set<Run>();
  for (let wave = 0; wave < waves; wave++) {
    const walking = runs.filter((run) => isWalking(run) && !late.has(run));
    if (walking.length === 0) return;
    const groups = Map.groupBy(walking, (run) => `${run.versionId} ${run.stepId}`);
    for (const group of groups.values()) for (const run of await take(tx, group)) late.add(run);
  }
}

/** Takes a step with each run; answers those that will take it later. */
async function take(tx: Context, runs: Run[]): Promise<Run[]> {
  const step = stepOf(runs[0]!);
  const startedAt = tx.now();
  const visits = runs.map((run) => ({ run, pageId: newId(tx) }));
  const outcomes = await stepTypeOf(step).perform(tx, step, visits);
  const now = tx.now();
  return visits.flatMap(({ run, pageId }, i) => {
    const outcome = outcomes[i]!;
    if (outcome === "later") return [run];
    takeOutcome(run, pageId, startedAt, outcome, now);
    return [];
  });
}
