// What ends a wait: an event, or time. The execution is locked during the check, so that one of the two comes first.
import type { Context } from "../../context.ts";
import { endRun, endWait, type Run, stepOf } from "../runs/run.ts";
import { MAX_DEPTH, TOO_DEEP } from "./start.ts";
import { type AwaitedEvent, awaitedEventsFor } from "../runs/waits.ts";
import { stepTypeOf } from "../steps/mod.ts";

/** When the timers go off that these executions were named by. */
export type Timers = ReadonlyMap<string, Date>;

// A timer goes by the clock of the queue.
const EARLY_MS = 5_000;
const SIMPLY_ON = { branch: null, output: null };

/** Ends the waits that these events are for; the first one counts. */
export function wakeByEvents(runs: Run[], arrived: AwaitedEvent[], now: Date): void {
  const first = new Map<string, AwaitedEvent>();
  for (const arrival of arrived) if (!first.has(arrival.id)) first.set(arrival.id, arrival);
  for (const run of runs) {
    const arrival = first.get(run.id);
    if (arrival) take(run, arrival, now);
  }
}

/** Ends the waits whose event has come, also where its own job is still on its way or got lost, and those whose time has. */
export async function wakeByLook(tx: Context, runs: Run[], timers: Timers): Promise<void> {
  const now = tx.now();
  const waiting = runs.filter(({ status }) => status === "WAITING");
  const awaiting = waiting.filter((run) => stepTypeOf(stepOf(run)).awaitsEvent);
  const arrived = await awaitedEventsFor(
    tx,
    awaiting.map(({ projectId, id, wakeAt }) => ({ projectId, id, until: wakeAt })),
  );
  wakeByEvents(awaiting, arrived, now);
  for (const run of waiting.filter((each) => isDue(each, timers, now))) {
    const { whenDue } = stepTypeOf(stepOf(run));
    const end = whenDue ? await whenDue(tx, run) : SIMPLY_ON;
    if (end) endWait(run, end.branch, end.output, now);
  }
}

/** A timer may be a little early, by the clock of this process; but it ends nothing that is due after it. */
function isDue({ id, status, wakeAt }: Run, timers: Timers, now: Date): boolean {
  if (status !== "WAITING" || wakeAt === null) return false;
  const timer = timers.get(id);
  const allowance = timer && wakeAt <= timer ? EARLY_MS : 0;
  return wakeAt.getTime() <= now.getTime() + allowance;
}

function take(run: Run, { stepExecutionId, eventId, eventName, data, depth }: AwaitedEvent, now: Date): void {
  // It may wait for the same event once more by now: another one has to come.
  if (run.status !== "WAITING" || run.openEntryId !== stepExecutionId) return;
  run.context = { ...run.context, event: data };
  run.hasNewContext = true;
  run.depth = Math.max(run.depth, depth);
  endWait(run, "event", { branch: "event", event: { id: eventId, name: eventName } }, now);
  if (run.depth >= MAX_DEPTH) endRun(run, "FAILED", TOO_DEEP, now);
}
