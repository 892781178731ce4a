// What ends a wait: an event, or time. The execution is held by whoever looks, so of both one comes first.
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { type ExecutionKey, endRun, endWait, type Run, stepOf } from "./_run.ts";
import { MAX_DEPTH, TOO_DEEP } from "./_start_runs.ts";
import { enqueueWebhook } from "./webhooks_out.ts";

/** An event that an execution waits for. */
export interface Call extends ExecutionKey {
  /** Which of its waits. */
  stepExecutionId: string;
  eventId: string;
  eventName: string;
  data: unknown;
  /** How many workflows led to the event. */
  depth: number;
}

// The queue goes by another clock.
const EARLY_MS = 5_000;
/** A webhook that should have been tried so long ago has lost its job. */
const LOST_WEBHOOK_MS = 5 * 60_000;
/** An id is made up to this long before the time its event bears. */
const ID_SLACK_MS = 86_400_000;
/** Done by people: that a mail is opened again and again leads no further from the first workflow. */
const BY_PEOPLE = new Set(["email.open", "email.click"]);

/** Ends the waits that these events are for; the first one counts. */
export function wakeByEvents(runs: Run[], calls: Call[], now: Date): void {
  const first = new Map<string, Call>();
  for (const call of calls) if (!first.has(call.id)) first.set(call.id, call);
  for (const run of runs) {
    const call = first.get(run.id);
    if (call) take(run, call, now);
  }
}

/** Ends the waits whose time has come. An event that came in time counts, also where its own job is still on its way. */
export async function wakeByTime(tx: Context, runs: Run[]): Promise<void> {
  const now = tx.now();
  const due = runs.filter(
    ({ status, wakeAt }) =>
      status === "WAITING" && wakeAt !== null && wakeAt.getTime() <= now.getTime() + EARLY_MS,
  );
  if (due.length === 0) return;
  const calls = await callsInTime(tx, due);
  wakeByEvents(due, calls, now);
  for (const run of due) {
    const { type } = stepOf(run);
    if (run.status !== "WAITING") continue;
    if (type === "WAIT_FOR_EVENT") endWait(run, "timeout", { branch: "timeout" }, now);
    else if (type !== "WEBHOOK") endWait(run, null, null, now);
    else if (run.wakeAt!.getTime() < now.getTime() - LOST_WEBHOOK_MS) await askAgain(tx, run);
  }
}

function take(run: Run, { stepExecutionId, eventId, eventName, data, depth }: Call, now: Date): void {
  // It may wait for the same event once more by now: another one has to come.
  if (run.status !== "WAITING" || run.openPageId !== stepExecutionId) return;
  run.context = { ...run.context, event: data };
  run.hasNewContext = true;
  if (!BY_PEOPLE.has(eventName)) run.depth = Math.max(run.depth, depth);
  endWait(run, "event", { branch: "event", event: { id: eventId, name: eventName } }, now);
  if (run.depth >= MAX_DEPTH) endRun(run, "FAILED", TOO_DEEP, now);
}

async function callsInTime(tx: Context, runs: Run[]): Promise<Call[]> {
  const rows = runs.flatMap((run) => {
    const step = stepOf(run);
    if (step.type !== "WAIT_FOR_EVENT") return [];
    const until = run.wakeAt!;
    const since = new Date(until.getTime() - step.config.timeout! * 1000);
    return [
      {
        project_id: run.projectId,
        execution_id: run.id,
        step_execution_id: run.openPageId,
        contact_id: run.contact.id,
        event_name: step.config.eventName,
        from_id: firstIdAt(since.getTime() - ID_SLACK_MS),
        since,
        until,
      },
    ];
  });
  if (rows.length === 0) return [];
  const found = await q.waits.comeInTime(tx, { rows });
  return found.map(({ executionId, ...call }) => ({ ...call, id: executionId, depth: 0 }));
}

/** The smallest UUID of version 7 of a time. */
function firstIdAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

async function askAgain(tx: Context, run: Run): Promise<void> {
  const { projectId, id: executionId, openPageId } = run;
  await enqueueWebhook(tx, { projectId, executionId, stepExecutionId: openPageId! });
}
