// Deletes a project, or its contents before a reset: batch by batch, each a short transaction. A process that dies
// leaves the rest to the next one; one that has gone through everything checks once more before it is done.
import { enqueueRemoval } from "../accounts/projects/removal.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { addJobs, type Jobs } from "../jobs.ts";
import { everythingOf, hasUploads } from "./_batches.ts";
import { removeRows } from "./_rows.ts";
import { DELETION, RESET } from "./_steps.ts";

/** How long a job works before it lets others have their turn and continues as a new job. */
const SLICE_MS = 5_000;
/** Requests that had come in before the deletion are answered by then. */
const GRACE_MS = 10_000;
const PAUSE_MS = 5_000;
/** More than this is not left over: then there is another round. */
const LAST_ROWS = 500;

/** For tests: how long a job works, and how long a deleted project stays at least. */
export interface RemovalPace {
  sliceMs?: number;
  graceMs?: number;
}

/**
 * Deletes all rows of a deleted project and, when there are none left and none can be added, the project itself. A
 * second run continues where the first one ended.
 */
export async function deleteProject(
  ctx: Context,
  { projectId, turn, ...place }: Jobs["delete_project"],
  { sliceMs = SLICE_MS, graceMs = GRACE_MS }: RemovalPace = {},
): Promise<void> {
  const deletion = await q.removals.deletion(ctx, { projectId });
  if (!deletion) return;
  const until = performance.now() + sliceMs;
  const { stopped } = await removeRows(ctx, DELETION, everythingOf(projectId), place, until);
  if (stopped) return await enqueueRemoval(ctx, "delete_project", { projectId, turn, ...stopped });
  const now = ctx.now().getTime();
  const endsAt = deletion.deletedAt.getTime() + graceMs;
  if (endsAt <= now && (await endDeletion(ctx, projectId))) return;
  const runAt = new Date(Math.max(endsAt, now + PAUSE_MS));
  await enqueueRemoval(ctx, "delete_project", { projectId, turn }, runAt);
}

/**
 * Deletes what a project contained when its reset was requested, until nothing of it is found, and has the segments
 * created since recounted. A second run continues where the first one ended.
 */
export async function resetProject(
  ctx: Context,
  job: Jobs["reset_project"],
  { sliceMs = SLICE_MS }: RemovalPace = {},
): Promise<void> {
  const { projectId, turn } = job;
  const reset = await q.removals.reset(ctx, { projectId });
  if (!reset) return;
  const { version, ...extent } = reset;
  const until = performance.now() + sliceMs;
  // Requested again in the meantime, it goes further: everything is checked again.
  let { step, after, found } = job.version === version ? job : {};
  for (;;) {
    const { stopped, removed } = await removeRows(
      ctx,
      RESET,
      { projectId, ...extent },
      { step, after },
      until,
    );
    found = found === true || removed > 0;
    if (stopped) {
      return await enqueueRemoval(ctx, "reset_project", { projectId, version, found, turn, ...stopped });
    }
    if (!found) return await endReset(ctx, projectId, version);
    [step, after, found] = [undefined, undefined, false];
  }
}

/**
 * The end of a project, in one commit: what others have added since it was looked through, which they cannot any more,
 * and the project. False when there is too much of it, or somebody may still be adding.
 */
async function endDeletion(ctx: Context, projectId: string): Promise<boolean> {
  return await inTransaction(ctx, async (tx) => {
    await q.removals.readByIndex(tx);
    const project = await q.removals.holdDeleted(tx, { projectId });
    if (!project) return true;
    if (project.isBusy) return false;
    if (await hasUploads(tx, projectId)) return false;
    const batch = { extent: everythingOf(projectId), limit: LAST_ROWS };
    for (const step of DELETION.filter((each) => !each.isApart)) {
      const { removed } = await step.remove(tx, { ...batch, after: step.first });
      if (removed === LAST_ROWS) return false;
    }
    await q.removals.endDeletion(tx, { projectId });
    return true;
  });
}

async function endReset(ctx: Context, projectId: string, version: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    if ((await q.removals.endReset(tx, { projectId, version })) === 0) return;
    await addJobs(tx, "recount_counts", [{ projectId }]);
    const segmentIds = (await q.removals.segments(tx, { projectId })).map((row) => row.id);
    if (segmentIds.length > 0) await addJobs(tx, "recount_segments", [{ projectId, segmentIds }]);
  });
}
