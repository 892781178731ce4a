// Deletes all events of one name: a few at once, many in a job.
import { isReservedEvent } from "../../audience/events.ts";
import { type Context, inTransaction, patiently } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs, type Jobs } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import { usesOfEvent } from "./usage.ts";
import { FIRST_ID } from "../ids.ts";

/** How many are deleted before the answer: it takes some 30 ms. */
const AT_ONCE = 500;
/** Events of one commit. */
const BATCH = 1_000;
/** How long a job works before it lets others have their turn and continues as a new job. */
const SLICE_MS = 5_000;

/**
 * Deletes all events recorded so far under a name, with their counts; returns how many there are. Many are deleted by a
 * job that is created here. Events tracked under the name afterwards stay. Throws 400 for a name of the service,
 * CONFLICT while something refers to it. A reference saved at that very moment is not noticed: the events are deleted.
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
  return await inTransaction(ctx, async (tx) => {
    const uses = await usesOfEvent(tx, projectId, name);
    if (isUsed(uses)) throw problems.eventInUse(name, uses);
    await q.eventDeletion.readByIndex(tx);
    const newest = await q.eventDeletion.newest(tx, { projectId, name });
    const upTo = newest?.id ?? FIRST_ID;
    const which = { projectId, name, upTo };
    const { events } = await q.eventDeletion.count(tx, { ...which, limit: atOnce + 1 });
    if (events > atOnce) {
      await addJobs(tx, "delete_events", [which]);
      return (await q.eventDeletion.counted(tx, { projectId, name })).events;
    }
    const { gone } = await q.eventDeletion.remove(tx, { ...which, after: FIRST_ID, limit: events });
    // Nobody waits for a response for as long as recounting a large project takes.
    if ((await q.recounts.tryHold(tx, { projectId, kind: "events" })).isMine) {
      await q.eventDeletion.forget(tx, { projectId, name });
    } else {
      await addJobs(tx, "delete_events", [{ ...which, after: upTo }]);
    }
    return gone;
  });
}

/**
 * Deletes the events of a name up to a given id, a batch in each commit. A second run continues where the first one
 * ended: what is gone is not found again. They stay where something refers to the name by the time it begins.
 */
export async function runEventDeletion(
  ctx: Context,
  { projectId, name, upTo, after }: Jobs["delete_events"],
  { sliceMs = SLICE_MS, batch = BATCH } = {},
): Promise<void> {
  const until = performance.now() + sliceMs;
  if (after === undefined && isUsed(await usesOfEvent(ctx, projectId, name))) {
    return ctx.log.warn("events not deleted: something refers to their name now", { projectId, name });
  }
  for (let last = after ?? FIRST_ID; ;) {
    const { looked, lastId } = await inTransaction(ctx, async (tx) => {
      await q.eventDeletion.readByIndex(tx);
      return await q.eventDeletion.remove(tx, { projectId, name, upTo, after: last, limit: batch });
    });
    // Others may have deleted some of them in the meantime: there is more as long as a batch was full when it was read.
    if (looked < batch) break;
    last = lastId ?? last;
    if (performance.now() > until) {
      return await addJobs(ctx, "delete_events", [{ projectId, name, upTo, after: last }]);
    }
  }
  // The counts of expired events. The trigger knows only rows that it sees.
  await inTransaction(patiently(ctx), async (tx) => {
    await q.recounts.hold(tx, { projectId, kind: "events" });
    await q.eventDeletion.forget(tx, { projectId, name });
  });
}

function isUsed(uses: Awaited<ReturnType<typeof usesOfEvent>>): boolean {
  return Object.values(uses).flat().length > 0;
}
