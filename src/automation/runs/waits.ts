// Waits for events. The trigger `events_start_workflows` enqueues a job for each event that is waited for. It cannot
// see a wait whose transaction is still open, and that transaction cannot see an event whose transaction is. So
// whatever begins a wait also looks for its event, and a job looks again until every transaction of that time has
// ended: whichever of the two could not see the other, both are committed by then.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Jobs } from "../../jobs.ts";
import { enqueue, jobsFor } from "./jobs.ts";
import type { ExecutionKey, Run } from "./run.ts";

/** An event that an execution waits for. */
export interface AwaitedEvent extends ExecutionKey {
  /** Which of its waits. */
  stepExecutionId: string;
  eventId: string;
  eventName: string;
  data: unknown;
  /** How many workflows led to the event. */
  depth: number;
}

const WAITS_A_JOB = 500;
/**
 * The pause before the second look; each further one is twice as long. Usually the second look is the last: only a
 * transaction that stays open, in any database of the server, causes more.
 */
const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** Stores what these runs wait for. An event that has arrived in between gives them a job at once. */
export async function beginWaits(tx: Context, runs: Run[]): Promise<void> {
  if (runs.length === 0) return;
  const rows = runs.map((run) => ({
    project_id: run.projectId,
    contact_id: run.contact.id,
    event_name: run.awaits,
    execution_id: run.id,
    step_execution_id: run.openEntryId,
    started_at: beginningOf(run),
  }));
  await q.waits.add(tx, { rows });
  await enqueue(tx, [
    ...jobsFor("wake_executions", await awaitedEventsFor(tx, runs)),
    ...jobsFor("recheck_waits", runs, { size: WAITS_A_JOB, runAt: after(tx, PAUSE_MS) }),
  ]);
}

/** The first event that has come for each of these executions, by `until` where that is given. */
export async function awaitedEventsFor(
  tx: Context,
  waiting: (ExecutionKey & { until?: Date | null })[],
): Promise<AwaitedEvent[]> {
  if (waiting.length === 0) return [];
  const rows = waiting.map(({ projectId, id, until }) => ({
    project_id: projectId,
    execution_id: id,
    until,
  }));
  const found = await q.waits.come(tx, { rows });
  return found.map(({ executionId, ...call }) => ({ ...call, id: executionId }));
}

/** Wakes those of these executions whose event has come; looks again as long as one may be about to come to light. */
export async function recheckWaits(
  ctx: Context,
  { projectId, executionIds, before, looks = 1 }: Jobs["recheck_waits"],
): Promise<void> {
  const executions = executionIds.map((id) => ({ projectId, id }));
  await inTransaction(ctx, async (tx) => {
    await q.executionRun.begin(tx, { projectIds: [] });
    // Read before the look: whatever has ended by now is visible to it.
    const horizon = await q.waits.horizon(tx);
    const jobs = jobsFor("wake_executions", await awaitedEventsFor(tx, executions));
    if (!isOver(horizon, before)) {
      const runAt = after(tx, Math.min(PAUSE_MS * 2 ** looks, LONGEST_PAUSE_MS));
      const more = { before: before ?? horizon.next, looks: looks + 1 };
      jobs.push(...jobsFor("recheck_waits", executions, { size: WAITS_A_JOB, runAt, more }));
    }
    await enqueue(tx, jobs);
  });
}

/**
 * True when no transaction is active that had begun to write before that one, or at all. A number that is still in the
 * future belongs to another cluster, from before a restore.
 */
function isOver({ oldest, next }: { oldest: string; next: string }, before: string | undefined): boolean {
  if (before === undefined) return oldest === next;
  return BigInt(oldest) >= BigInt(before) || BigInt(before) > BigInt(next);
}

/** What the run itself has recorded a moment ago is not waited for, also when it was in the same millisecond. */
function beginningOf({ told }: Run): Date {
  const [page, before] = [told.at(-1)!, told.at(-2)];
  return new Date(Math.max(page.startedAt.getTime(), (before?.completedAt?.getTime() ?? 0) + 1));
}

function after(tx: Context, ms: number): Date {
  return new Date(tx.now().getTime() + ms);
}
