// How the size of a segment went: a trigger (`segments_note_size`) notes the last count of each day.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { getSegment } from "./mod.ts";

/** Days that follow each other, both among them. */
interface Days {
  first: Temporal.PlainDate;
  last: Temporal.PlainDate;
}

/** How many members there were on a day. */
export interface SegmentSize {
  date: string;
  members: number;
}

/** The sizes of several segments: each has an entry for each of `dates`, null if it was not counted. */
export interface SegmentSizes {
  dates: string[];
  segments: { id: string; members: (number | null)[] }[];
}

/** What one answer holds: with as many days as it takes, about 500 KB. */
const MAX_SEGMENTS = 1_000;

/** The days on which the segment was counted. Throws SEGMENT_NOT_FOUND. */
export async function segmentSizes(
  ctx: Context,
  projectId: string,
  segmentId: string,
  { first, last }: Days,
): Promise<SegmentSize[]> {
  await getSegment(ctx, projectId, segmentId);
  const days = { from: midnight(first), until: midnight(last) };
  const rows = await q.segments.sizes(ctx, { projectId, segmentId, ...days });
  return rows.map(({ day, members }) => ({ date: day.toISOString().slice(0, 10), members }));
}

/** The sizes of all segments, newest first; of the newest 1,000 if there are more. */
export async function allSegmentSizes(
  ctx: Context,
  projectId: string,
  { first, last }: Days,
): Promise<SegmentSizes> {
  const rows = await q.segments.sizesOfNewest(ctx, {
    projectId,
    from: midnight(first),
    until: midnight(last),
    limit: MAX_SEGMENTS,
  });
  const length = first.until(last, { largestUnit: "day" }).days + 1;
  const dates = Array.from({ length }, (_, n) => first.add({ days: n }).toString());
  const segments = rows.map(({ id, members }) => ({
    id,
    members: members.map((count) => (count < 0 ? null : count)),
  }));
  return { dates, segments };
}

const midnight = (day: Temporal.PlainDate) => new Date(`${day.toString()}T00:00:00Z`);
