// Tracked segments follow their contacts: within seconds after a change, and every five minutes for what changes by time.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs } from "../../jobs.ts";
import { isTimeRelative } from "../conditions/mod.ts";
import { computeMembership } from "./members.ts";
import { refreshSegment } from "./mod.ts";
import { withinBudget } from "../../time_budget.ts";

const BATCH = 2_000;

/** Looks again at the contacts of a project that changed, in batches; a crash in between loses none of them. */
export async function updateSegments(ctx: Context, projectId: string): Promise<void> {
  for (;;) {
    const looked = await inTransaction(ctx, async (tx) => {
      const segments = await q.segments.tracked(tx, { projectId });
      const candidates = await q.segmentCandidates.take(tx, { projectId, limit: BATCH });
      const ids = candidates.map((row) => row.contactId);
      if (ids.length === 0) return 0;
      for (const { id, outdated } of segments) {
        await follow(tx, projectId, id, outdated ? null : ids);
      }
      return ids.length;
    });
    if (looked === 0) return;
  }
}

/** Computes a segment, unless it was deleted in the meantime or is no longer tracked. */
async function follow(
  ctx: Context,
  projectId: string,
  segmentId: string,
  contactIds: string[] | null,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const segment = await q.segments.lock(tx, { projectId, segmentId });
    if (segment?.trackMembership) await computeMembership(tx, projectId, segmentId, contactIds);
  });
}

/** Every five minutes: a job for each project that tracks segments. */
export async function sweepSegments(ctx: Context): Promise<void> {
  await q.segmentCandidates.purge(ctx);
  const projects = await q.segmentCandidates.projects(ctx);
  await addJobs(
    ctx,
    "sweep_project_segments",
    projects.map(({ projectId }) => ({ projectId })),
  );
}

/** The candidates that a job has missed, and whole segments that are outdated or move with time. Others cost nothing. */
export async function sweepProjectSegments(ctx: Context, projectId: string): Promise<void> {
  await updateSegments(ctx, projectId);
  const conditions = await q.segments.conditions(ctx, { projectId });
  for (const { id, outdated } of await q.segments.tracked(ctx, { projectId })) {
    if (outdated || isTimeRelative(id, conditions)) await follow(ctx, projectId, id, null);
  }
}

/** Every minute: a job for each project with contacts that were not checked yet. */
export async function wakeSegments(ctx: Context): Promise<void> {
  await addJobs(ctx, "update_segments", await q.segmentCandidates.waiting(ctx));
}

/** Recounts the members of these segments, as after contacts were deleted. */
export async function recountSegments(ctx: Context, projectId: string, segmentIds: string[]): Promise<void> {
  for (const segmentId of segmentIds) {
    await inTransaction(ctx, async (tx) => {
      const segment = await q.segments.lock(tx, { projectId, segmentId });
      if (!segment) return;
      if (segment.type === "DYNAMIC" && !segment.trackMembership)
        await refreshSegment(tx, projectId, segmentId);
      else await q.segments.recount(tx, { projectId, segmentId });
    });
  }
}

const SIZED_AT_ONCE = 500;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
/** A condition that takes longer has no size on that day. */
const SIZE_BUDGET_MS = 60_000;

/** Every night: notes the size of each segment that was not counted on this day (UTC) yet. A second run finds none. */
export async function noteSegmentSizes(ctx: Context): Promise<void> {
  const day = new Date(`${ctx.now().toISOString().slice(0, 10)}T00:00:00Z`);
  let [afterProject, afterId] = [FIRST_ID, FIRST_ID];
  for (;;) {
    const rows = await q.segments.unsized(ctx, { day, afterProject, afterId, limit: SIZED_AT_ONCE });
    for (const { projectId, id } of rows) await noteSize(ctx, projectId, id, day);
    if (rows.length < SIZED_AT_ONCE) return;
    ({ projectId: afterProject, id: afterId } = rows.at(-1)!);
  }
}

async function noteSize(ctx: Context, projectId: string, segmentId: string, day: Date): Promise<void> {
  await withinBudget(ctx, SIZE_BUDGET_MS, async (tx) => {
    const segment = await q.segments.lock(tx, { projectId, segmentId });
    if (!segment) return;
    if (segment.type === "DYNAMIC" && !segment.trackMembership)
      await refreshSegment(tx, projectId, segmentId);
    await q.segments.noteSize(tx, { projectId, segmentId, day });
  });
}
