// All events of one name, taken away for good: a few at once, many in a job.
import { isReservedEvent } from "../audience/events.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { addJobs, type Jobs } from "../jobs.ts";
import { problems } from "../problem.ts";
import { usesOfEvent } from "./event_usage.ts";

/** So many are deleted before the answer: it takes 30 ms. */
const AT_ONCE = 1_000;
/** Events of one commit. */
const BATCH = 1_000;
/** How long a job works before it lets others have their turn and goes on as a new job. */
const SLICE_MS = 5_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Deletes all events of a name that are recorded by now, and what is counted of them; answers how many they are. Many are
 * deleted in a job that is made here. What is tracked under the name afterwards stays. Throws 400 for a name of the
 * service, CONFLICT while something refers to it.
 */
export async function deleteEvents(
  ctx: Context,
  projectId: string,
  name: string,
  { atOnce = AT_ONCE } = {},
): Promise<number> {
  if (isReservedEvent(name)) {
    throw problems.badRequest(`Cannot delete the events named ${name}: the service itself records them`);
  }
  const uses = await usesOfEvent(ctx, projectId, name);
  if (Object.values(uses).flat().length > 0) throw problems.eventInUse(name, uses);
  return await inTransaction(ctx, async (tx) => {
    await q.eventDeletion.readByIndex(tx);
    const newest = await q.eventDeletion.newest(tx, { projectId, name });
    const upTo = newest?.id ?? FIRST_ID;
    const which = { projectId, name, upTo };
    const { events } = await q.eventDeletion.count(tx, { ...which, limit: atOnce + 1 });
    if (events > atOnce) {
      await addJobs(tx, "delete_events", [which]);
      return (await q.eventDeletion.counted(tx, { projectId, name })).events;
    }
    const gone = await q.eventDeletion.remove(tx, { ...which, after: FIRST_ID, limit: events });
    await forget(tx, projectId, name);
    return gone.length;
  });
}

/**
 * Deletes the events of a name as far as one of them, a batch in each commit. A second run goes on where the first one
 * ended: what is gone is not found again.
 */
export async function runEventDeletion(
  ctx: Context,
  { projectId, name, upTo, after = FIRST_ID }: Jobs["delete_events"],
  { sliceMs = SLICE_MS, batch = BATCH } = {},
): Promise<void> {
  const until = performance.now() + sliceMs;
  let last = after;
  for (;;) {
    const gone = await inTransaction(ctx, async (tx) => {
      await q.eventDeletion.readByIndex(tx);
      return await q.eventDeletion.remove(tx, { projectId, name, upTo, after: last, limit: batch });
    });
    if (gone.length < batch) break;
    last = gone.reduce((greatest, { id }) => (id > greatest ? id : greatest), last);
    if (performance.now() > until) {
      return await addJobs(ctx, "delete_events", [{ projectId, name, upTo, after: last }]);
    }
  }
  await inTransaction(ctx, (tx) => forget(tx, projectId, name));
}

/** What is counted of events that have expired. The trigger knows only what it sees. */
async function forget(tx: Context, projectId: string, name: string): Promise<void> {
  const expired = await q.expired.ofProject(tx, { projectId });
  if (!expired?.events) return;
  await q.recounts.hold(tx, { projectId });
  await q.eventDeletion.forget(tx, { projectId, name });
}
