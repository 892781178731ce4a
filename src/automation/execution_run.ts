// The engine. Jobs that run at the same time share a transaction, in which executions start, wake and walk as far as
// they can. What a step does and the move to the next one are one commit, so each step is done once, whenever a process
// dies; and no network is in it.
import { createBatcher } from "../batcher.ts";
import { type Context, inTransaction, newId, perService } from "../context.ts";
import { isConflict, isDatabaseAway, isTimeout } from "../database_errors.ts";
import { q } from "../db/queries.ts";
import { addJobs, type Jobs } from "../jobs.ts";
import { describeError } from "../log.ts";
import { reasonOf } from "./_failures.ts";
import { inTurn } from "./_pace.ts";
import { endWait, type ExecutionKey, failWait, holdRuns, type Run, stepOf, takeOutcome } from "./_run.ts";
import { type Claim, startRuns } from "./_start_runs.ts";
import { noteGrowth } from "./_statistics.ts";
import { wakeByEvents, wakeByTime } from "./_wake.ts";
import { isWalking, walk } from "./_walk.ts";
import { writeRuns } from "./_write_runs.ts";
import type { StepEnd } from "./webhooks_out.ts";
import { firstRound, hear } from "./workflow_events.ts";

/** Jobs that share a transaction, and such transactions at once: one works while the other one commits. */
const JOBS_A_TURN = 10;
const TURNS = 2;
/** Executions that walk in one transaction. The others are left to jobs of their own, so that it stays short. */
const MAX_WALKING = 1_000;
const EXECUTIONS_A_JOB = 200;
/** Of jobs for very many executions: what somebody waits for now comes first. */
const PATIENT = 10;
/** No graph leads on for ever without a pause; this is only the outermost wall. */
const MAX_WAVES = 100;

type Errand =
  | { kind: "events"; job: Jobs["start_workflows"] }
  | { kind: "wake"; job: Jobs["wake_executions"] }
  | { kind: "run"; job: Jobs["run_executions"] };

const engineOf = perService((ctx) =>
  createBatcher((errands: Errand[]) => inTurn(ctx, () => turn(ctx, errands)), {
    maxItems: JOBS_A_TURN,
    maxFlights: TURNS,
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

/** Takes executions as far as they can go. A second call goes on where the first one came to. */
export async function runExecutions(ctx: Context, job: Jobs["run_executions"]): Promise<void> {
  if (job.alone) return await runAlone(ctx, job);
  await engineOf(ctx)({ kind: "run", job });
}

/** Has executions run by jobs: `alone` each by itself, `patient` behind all others. */
export async function addRuns(
  tx: Context,
  executions: ExecutionKey[],
  { alone = false, patient = false } = {},
): Promise<void> {
  const size = alone ? 1 : EXECUTIONS_A_JOB;
  const payloads: Jobs["run_executions"][] = [];
  for (const [projectId, group] of Map.groupBy(executions, (execution) => execution.projectId)) {
    for (let i = 0; i < group.length; i += size) {
      const executionIds = group.slice(i, i + size).map(({ id }) => id);
      payloads.push({ projectId, executionIds, ...(alone && { alone }) });
    }
  }
  await addJobs(tx, "run_executions", payloads, { priority: patient ? PATIENT : null });
}

/**
 * Ends a step that somebody outside was asked for, in the transaction of `tx`: the execution goes on in a job, or it has
 * FAILED. Nothing happens where it waits for that no more.
 */
export async function finishStep(
  tx: Context,
  { projectId, executionId, stepExecutionId, ok, output, error }: StepEnd,
): Promise<void> {
  const [run] = await holdRuns(tx, [{ projectId, id: executionId }]);
  if (run?.status !== "WAITING" || run.openPageId !== stepExecutionId) return;
  if (ok) endWait(run, null, output, tx.now());
  else failWait(run, error ?? "The webhook could not be called", output, tx.now());
  await writeRuns(tx, [run]);
  await addRuns(tx, [run].filter(isWalking));
}

/**
 * Carries out some jobs in one commit. Where something cannot be done, what they ask for is noted all the same, and each
 * execution is run by itself, so that only the guilty one fails.
 */
async function turn(ctx: Context, errands: Errand[]): Promise<null[]> {
  try {
    await noteGrowth(ctx, await inTransaction(ctx, (tx) => carryOut(tx, errands, { walks: true })));
  } catch (error) {
    if (isDatabaseAway(error) || isConflict(error)) throw error;
    ctx.log.warn("executions are run one by one", describeError(error));
    await inTransaction(ctx, (tx) => carryOut(tx, errands, { walks: false }));
  }
  return errands.map(() => null);
}

/** Answers how many executions it held. */
async function carryOut(tx: Context, errands: Errand[], { walks }: { walks: boolean }): Promise<number> {
  await q.executionRun.begin(tx, { projectIds: errands.map(({ job }) => job.projectId) });
  const heard = await hear(
    tx,
    errands.flatMap((errand) => (errand.kind === "events" ? [errand.job] : [])),
  );
  let { round, later } = firstRound(heard.claims);
  const started = await startAll(tx, round);
  const runs = await holdRuns(tx, [...errands.flatMap(namedBy), ...heard.calls, ...started]);
  wakeByEvents(runs, heard.calls, tx.now());
  await wakeByTime(tx, runs);
  await goOn(tx, runs, walks);
  let held = runs.length;
  while (later.length > 0) {
    ({ round, later } = firstRound(later));
    const next = await holdRuns(tx, await startAll(tx, round));
    await goOn(tx, next, walks);
    held += next.length;
  }
  return held;
}

/** Starts executions; answers those that are to walk at once, and leaves the others to jobs. */
async function startAll(tx: Context, claims: Claim[]): Promise<ExecutionKey[]> {
  const running = (await startRuns(tx, claims)).filter(({ status }) => status === "RUNNING");
  await addRuns(tx, running.slice(MAX_WALKING), { patient: true });
  return running.slice(0, MAX_WALKING);
}

/** The executions that a job names. */
function namedBy({ kind, job }: Errand): ExecutionKey[] {
  if (kind === "events") return [];
  return job.executionIds.map((id) => ({ projectId: job.projectId, id }));
}

async function goOn(tx: Context, runs: Run[], walks: boolean): Promise<void> {
  if (walks) await walk(tx, runs.filter(isWalking).slice(0, MAX_WALKING), MAX_WAVES);
  await writeRuns(tx, runs);
  await addRuns(tx, runs.filter(isWalking), { alone: !walks });
}

/** Runs executions one by one, and each step in a commit of its own: what cannot be done fails there, and only there. */
async function runAlone(ctx: Context, { projectId, executionIds }: Jobs["run_executions"]): Promise<void> {
  for (const id of executionIds) while (await stepAlone(ctx, { projectId, id }));
}

/** Takes one step. True when there is another one. */
async function stepAlone(ctx: Context, key: ExecutionKey): Promise<boolean> {
  const doing = async (act: (tx: Context, run: Run) => Promise<void> | void) =>
    await inTransaction(ctx, async (tx) => {
      const [run] = await holdRuns(tx, [key]);
      if (!run || !isWalking(run)) return false;
      await act(tx, run);
      await writeRuns(tx, [run]);
      return isWalking(run);
    });
  try {
    return await doing((tx, run) => walk(tx, [run], 1));
  } catch (error) {
    if (isDatabaseAway(error) || isConflict(error) || isTimeout(error)) throw error;
    ctx.log.warn("a step failed", { executionId: key.id, ...describeError(error) });
    return await doing((tx, run) => {
      const reason = reasonOf(error, stepOf(run).name);
      takeOutcome(run, newId(tx), tx.now(), { kind: "fail", reason }, tx.now());
    });
  }
}
