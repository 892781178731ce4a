// How the size of a segment went: a trigger (`segments_note_size`) notes the last count of each day.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { getSegment } from "./mod.ts";

/** How many members there were on a day. */
export interface SegmentSize {
  date: string;
  members: number;
}

/** The days on which the segment was counted. Throws SEGMENT_NOT_FOUND. */
export async function segmentSizes(
  ctx: Context,
  projectId: string,
  segmentId: string,
  { first, last }: { first: Temporal.PlainDate; last: Temporal.PlainDate },
): Promise<SegmentSize[]> {
  await getSegment(ctx, projectId, segmentId);
  const [from, until] = [first, last].map((day) => new Date(`${day.toString()}T00:00:00Z`));
  const rows = await q.segments.sizes(ctx, { projectId, segmentId, from: from!, until: until! });
  return rows.map(({ day, members }) => ({ date: day.toISOString().slice(0, 10), members }));
}
