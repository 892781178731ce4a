// Who belongs to a segment, as SQL: stored membership for a static one, its condition for a dynamic one.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Fragment } from "../../db/types.ts";
import { problems } from "../../problem/mod.ts";
import type { Condition } from "../conditions/tree.ts";
import { compileCondition } from "../conditions/mod.ts";

/**
 * The members of a segment as a boolean over the contact `c`. A function that makes it, because a fragment goes into
 * one statement only, and because a promise of a fragment would run it. `whole`: as of the compiler. Throws
 * SEGMENT_NOT_FOUND.
 */
export async function audienceOf(
  ctx: Context,
  projectId: string,
  segmentId: string,
  { whole }: { whole: boolean },
): Promise<() => Fragment> {
  const rows = await q.segments.conditions(ctx, { projectId });
  const segments = new Map(rows.map((row) => [row.id, row]));
  if (!segments.has(segmentId)) throw problems.segmentNotFound(segmentId);
  const now = ctx.now();
  return () => compileCondition(ctx.sql, projectId, inSegment(segmentId), { now, segments, whole });
}

/** How many contacts belong to a segment now. */
export async function countAudience(ctx: Context, projectId: string, segmentId: string): Promise<number> {
  return await inTransaction(ctx, async (tx) => {
    const audience = await audienceOf(tx, projectId, segmentId, { whole: true });
    await q.audience.allowHashing(tx);
    return (await q.audience.countMatching(tx, { projectId, audience: audience() })).total;
  });
}

/** The tree that matches exactly the contacts of the segment. */
export function inSegment(segmentId: string): Condition {
  const filter = { field: `segment.${segmentId}`, operator: "memberOfSegment" };
  return { logic: "AND", groups: [{ filters: [filter] }] };
}
