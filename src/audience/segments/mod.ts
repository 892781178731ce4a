import { beginEdit, type Edit, editTag, NOBODY } from "../../edits.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { addJobs } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import { knownSources, sourceErrors } from "../conditions/sources.ts";
import { type Condition, conditionErrors, referenceErrors } from "../conditions/tree.ts";
import { countAudience } from "./audience.ts";

/** A segment as the API shows it. */
export type Segment = NonNullable<Awaited<ReturnType<Queries["segments"]["byId"]>>>;

/** What a new segment is made of. `condition` counts for DYNAMIC ones only. */
export interface SegmentInput {
  name: string;
  description?: string | null | undefined;
  type: "DYNAMIC" | "STATIC";
  condition: Condition | null;
  trackMembership: boolean;
}

/** What a PATCH may change. */
export interface SegmentPatch {
  name?: string | undefined;
  description?: string | null | undefined;
  condition?: unknown;
  trackMembership?: boolean | undefined;
}

const MAX_SLUG = 80;

/** Every segment of the project, newest first. */
export async function listSegments(ctx: Context, projectId: string): Promise<Segment[]> {
  return await q.segments.list(ctx, { projectId });
}

/** One segment. Throws SEGMENT_NOT_FOUND. */
export async function getSegment(ctx: Context, projectId: string, segmentId: string): Promise<Segment> {
  const segment = await q.segments.byId(ctx, { projectId, segmentId });
  if (!segment) throw problems.segmentNotFound(segmentId);
  return segment;
}

/** The `ETag` of a segment: of what people edit, and not of its count. */
export function segmentTag(segment: Segment): string {
  return editTag(editedOf(segment));
}

function editedOf({ name, description, condition, trackMembership }: Segment) {
  return { name, description, condition, trackMembership };
}

/** Makes a segment with its count of members. Throws 422 for a fault in the condition. */
export async function createSegment(
  ctx: Context,
  projectId: string,
  input: SegmentInput,
  edit: Edit = NOBODY,
): Promise<Segment> {
  const condition = input.type === "DYNAMIC" ? input.condition : null;
  return await inTransaction(ctx, async (tx) => {
    await q.segments.lockAll(tx, { projectId });
    await q.edits.actAs(tx, { editor: edit.by });
    await assertCondition(tx, projectId, null, condition);
    const { id } = await q.segments.insert(tx, {
      projectId,
      name: input.name,
      slug: slugOf(input.name),
      description: input.description ?? null,
      type: input.type,
      condition,
      trackMembership: input.trackMembership,
    });
    await refreshSegment(tx, projectId, id);
    if (input.trackMembership) await workOutSoon(tx, projectId, id);
    return await getSegment(tx, projectId, id);
  });
}

/**
 * Changes a segment; its slug stays. The members of a new condition are counted at once. Throws 400 for the condition
 * of a static segment.
 */
export async function patchSegment(
  ctx: Context,
  projectId: string,
  segmentId: string,
  patch: SegmentPatch,
  edit: Edit = NOBODY,
): Promise<Segment> {
  return await inTransaction(ctx, async (tx) => {
    await q.segments.lockAll(tx, { projectId });
    const segment = await getSegment(tx, projectId, segmentId);
    await beginEdit(tx, edit, { kind: "segment", projectId, id: segmentId }, async () => editedOf(segment));
    if (patch.condition === null && segment.type === "DYNAMIC") {
      throw problems.badRequest("Cannot remove the condition of a dynamic segment");
    }
    if (patch.condition !== undefined && patch.condition !== null) {
      if (segment.type === "STATIC") throw problems.badRequest("Cannot give a static segment a condition");
      await assertCondition(tx, projectId, segmentId, patch.condition);
    }
    await q.segments.patch(tx, {
      projectId,
      segmentId,
      name: patch.name ?? null,
      setDescription: patch.description !== undefined,
      description: patch.description ?? null,
      condition: (patch.condition as Condition | undefined) ?? null,
      trackMembership: patch.trackMembership ?? null,
    });
    if (patch.condition) await refreshSegment(tx, projectId, segmentId);
    const isSwitchedOn = patch.trackMembership === true && !segment.trackMembership;
    if (patch.condition || isSwitchedOn) await workOutSoon(tx, projectId, segmentId);
    return await getSegment(tx, projectId, segmentId);
  });
}

/**
 * Deletes a segment. Throws CONFLICT while another segment, an unsent campaign or an enabled workflow refers to it. No
 * new reference can appear in the meantime: conditions and triggers are saved under the lock of all segments, and a
 * campaign for the segment itself waits at its foreign key. Throws 412 where somebody has edited it since.
 */
export async function deleteSegment(
  ctx: Context,
  projectId: string,
  segmentId: string,
  edit: Edit = NOBODY,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await q.segments.lockAll(tx, { projectId });
    const segment = await q.segments.lock(tx, { projectId, segmentId });
    if (!segment) throw problems.segmentNotFound(segmentId);
    const thing = { kind: "segment", projectId, id: segmentId } as const;
    await beginEdit(tx, { ...edit, purpose: "delete" }, thing, async () =>
      editedOf(await getSegment(tx, projectId, segmentId)),
    );
    const uses = await usesOf(tx, projectId, segment);
    if (Object.values(uses).flat().length > 0) throw problems.segmentInUse(uses);
    await q.segments.remove(tx, { projectId, segmentId });
  });
}

/** What refers to a segment: other segments, campaigns that are not sent, workflows that are enabled. Throws SEGMENT_NOT_FOUND. */
export async function segmentUsage(ctx: Context, projectId: string, segmentId: string) {
  const uses = await usesOf(ctx, projectId, await getSegment(ctx, projectId, segmentId));
  return { ...uses, canDelete: Object.values(uses).flat().length === 0 };
}

async function usesOf(
  ctx: Context,
  projectId: string,
  { id: segmentId, slug }: { id: string; slug: string },
) {
  const args = { projectId, segmentId, field: `segment.${segmentId}`.toLowerCase() };
  const events = [`segment.${slug}.entry`, `segment.${slug}.exit`];
  return {
    segments: await q.segments.referringTo(ctx, args),
    campaigns: await q.segments.usedByCampaigns(ctx, args),
    workflows: await q.workflowReferences.ofSegment(ctx, { projectId, segmentId, events }),
  };
}

/** Recounts the members: no events, no change of the membership. The size of the day follows (`segments_note_size`). */
export async function refreshSegment(ctx: Context, projectId: string, segmentId: string): Promise<number> {
  const total = await countAudience(ctx, projectId, segmentId);
  await q.segments.setCount(ctx, { projectId, segmentId, memberCount: total });
  return total;
}

/** Has a job compute the membership of this segment, and of those that refer to it, where they are tracked. */
async function workOutSoon(tx: Context, projectId: string, segmentId: string): Promise<void> {
  const outdated = await q.segments.outdate(tx, { projectId, segmentId });
  if (outdated > 0) await addJobs(tx, "sweep_project_segments", [{ projectId }]);
}

async function assertCondition(
  ctx: Context,
  projectId: string,
  segmentId: string | null,
  condition: unknown,
): Promise<void> {
  if (condition === null) return;
  const errors = conditionErrors(condition);
  if (errors.length > 0) throw problems.invalid(errors);
  const all = await q.segments.conditions(ctx, { projectId });
  const wrong = [
    ...referenceErrors(segmentId, condition as Condition, all),
    ...sourceErrors(condition as Condition, await knownSources(ctx, projectId, condition)),
  ];
  if (wrong.length > 0) throw problems.invalid(wrong);
}

/** Letters and digits of any script, in lower case and without marks, joined by hyphens (guides/segments.md). */
export function slugOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
  return (
    plain
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, MAX_SLUG) || "segment"
  );
}
