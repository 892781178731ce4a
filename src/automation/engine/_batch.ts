// A batch of the engine: some jobs in one transaction. If that cannot be done they are taken apart, until only those
// are left out that cannot be done themselves.
import { type Context, inTransaction } from "../../context.ts";
import { isConflict, isDatabaseAway, isTimeout } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import { addJobs, type Jobs } from "../../jobs.ts";
import { describeError } from "../../log.ts";
import { addRuns } from "../runs/jobs.ts";
import { type ExecutionKey, holdRuns, type Run } from "../runs/run.ts";
import { type Claim, startRuns } from "./start.ts";
import { noteGrowth } from "./_statistics.ts";
import { type Timers, wakeByEvents, wakeByLook } from "./_wake.ts";
import { isWalking, walk } from "./_walk.ts";
import { writeRuns } from "../runs/write.ts";
import { firstRound, matchEvents, matchLater } from "./events.ts";

/** Executions that walk in one transaction. The others are left to jobs of their own, so that it stays short. */
const MAX_WALKING = 1_000;
/** No graph leads on for ever without a pause; this is only the outermost wall. */
const MAX_PASSES = 100;
/** How many events of one contact go through a workflow, one after another, in one transaction. */
const MAX_ROUNDS = 20;
/** Until then executions that are left to other jobs have mostly come to where they wait, or to their end. */
const LEFT_MS = 10_000;

/** What a job asks for. */
export type EngineRequest =
  | { kind: "events"; job: Jobs["start_workflows"] }
  | { kind: "wake"; job: Jobs["wake_executions"] }
  | { kind: "run"; job: Jobs["run_executions"] };

/**
 * Does some requests in one commit, or each by itself. Returns for each whether it is done; an error means that it is
 * not.
 */
export async function runBatch(ctx: Context, requests: EngineRequest[]): Promise<(null | Error)[]> {
  try {
    await noteGrowth(ctx, await inTransaction(ctx, (tx) => carryOut(tx, requests, { walks: true })));
    return requests.map(() => null);
  } catch (error) {
    if (isDatabaseAway(error) || isConflict(error)) throw error;
    ctx.log.warn("executions are run apart", describeError(error));
    // What is too slow together is as slow again one by one: there is no time to find out which request it is.
    if (requests.length === 1 || isTimeout(error)) return await apart(ctx, requests, isTimeout(error));
  }
  const results: (null | Error)[] = [];
  for (const request of requests) {
    results.push(
      await runBatch(ctx, [request]).then(
        () => null,
        (error: Error) => error,
      ),
    );
  }
  return results;
}

/** Each event of a job becomes a job; other requests are noted, and each execution is run by itself. */
async function apart(ctx: Context, requests: EngineRequest[], isSlow: boolean): Promise<null[]> {
  const [request] = requests;
  if (request!.kind === "events" && request!.job.eventIds.length > 1 && !isSlow) {
    const { eventIds, ...job } = request!.job;
    const each = eventIds.map((id) => ({ ...job, eventIds: [id] }));
    await addJobs(ctx, "start_workflows", each);
  } else await inTransaction(ctx, (tx) => carryOut(tx, requests, { walks: false }));
  return requests.map(() => null);
}

/** Returns how many executions it held. */
async function carryOut(
  tx: Context,
  requests: EngineRequest[],
  { walks }: { walks: boolean },
): Promise<number> {
  await q.executionRun.begin(tx, { projectIds: requests.map(({ job }) => job.projectId) });
  const matched = await matchEvents(
    tx,
    requests.flatMap((request) => (request.kind === "events" ? [request.job] : [])),
  );
  let { round, later } = firstRound(matched.claims);
  let started = await startAll(tx, round);
  const runs = await holdRuns(tx, [...requests.flatMap(namedBy), ...matched.arrived, ...started.walking]);
  wakeByEvents(runs, matched.arrived, tx.now());
  await wakeByLook(tx, runs, timersOf(requests));
  let isThrough = (await goOn(tx, runs, walks)) && started.isAll;
  let held = runs.length;
  for (let n = 1; isThrough && later.length > 0 && n < MAX_ROUNDS; n++) {
    ({ round, later } = firstRound(later));
    started = await startAll(tx, round);
    const next = await holdRuns(tx, started.walking);
    isThrough = (await goOn(tx, next, walks)) && started.isAll;
    held += next.length;
  }
  await matchLater(tx, later, isThrough ? 0 : LEFT_MS);
  return held;
}

/** Starts executions; returns those to be advanced at once, and whether that is all: the others are left to jobs. */
async function startAll(tx: Context, claims: Claim[]): Promise<{ walking: ExecutionKey[]; isAll: boolean }> {
  const running = (await startRuns(tx, claims)).filter(({ status }) => status === "RUNNING");
  const left = running.slice(MAX_WALKING);
  await addRuns(tx, left, { patient: true });
  return { walking: running.slice(0, MAX_WALKING), isAll: left.length === 0 };
}

/** The executions that a job names. */
function namedBy({ kind, job }: EngineRequest): ExecutionKey[] {
  if (kind === "events") return [];
  return job.executionIds.map((id) => ({ projectId: job.projectId, id }));
}

function timersOf(requests: EngineRequest[]): Timers {
  const timers = new Map<string, Date>();
  for (const { kind, job } of requests) {
    if (kind !== "wake" || job.at === undefined) continue;
    const at = new Date(job.at);
    for (const id of job.executionIds) timers.set(id, at > (timers.get(id) ?? 0) ? at : timers.get(id)!);
  }
  return timers;
}

/** Advances executions as far as possible here. True when none of them is left to other jobs. */
async function goOn(tx: Context, runs: Run[], walks: boolean): Promise<boolean> {
  if (walks) await walk(tx, runs.filter(isWalking).slice(0, MAX_WALKING), MAX_PASSES);
  await writeRuns(tx, runs);
  const left = runs.filter(isWalking);
  await addRuns(tx, left, { alone: !walks });
  return left.length === 0;
}
