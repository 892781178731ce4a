// Events by name, from counters: what there is costs nothing to know, however long it has been collected.
import { RESERVED_EVENTS } from "../../audience/events.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { percentChange } from "../../percent.ts";
import type { Days } from "../date_range.ts";
import { timeOf } from "../ids.ts";

/** How often an event was recorded. */
export interface EventCount {
  name: string;
  count: number;
}

/** The same, beside the same number of days before. */
export interface RankedEvent extends EventCount {
  /** How often on as many days right before. */
  previousCount: number;
  /** By how many percent it is more, or less; 100 if there were none before. */
  trend: number;
}

/** A project with more names than that has put something else into them. */
const MAX_NAMES = 10_000;
/** With as many days as it takes, about 300 KB. */
const MAX_NAMES_BY_DAY = 1_000;

/** How often each event was recorded on these days (UTC), or ever; the most frequent first, 10,000 names at most. */
export async function countEvents(ctx: Context, projectId: string, days: Days | null): Promise<EventCount[]> {
  if (days === null) return await q.eventStats.ofAllTime(ctx, { projectId, limit: MAX_NAMES });
  const { first, last } = days;
  const range = { firstDay: String(first), lastDay: String(last) };
  return await q.eventStats.ofDays(ctx, { projectId, ...range, limit: MAX_NAMES });
}

/** How often each name was recorded on each of some days, and when last. */
export interface EventCountsByDay {
  dates: string[];
  events: {
    name: string;
    /** Of all time. */
    total: number;
    /** One for each of `dates`. */
    counts: number[];
    /** Null if the last one has expired. */
    lastSeenAt: Date | null;
  }[];
}

/** The counts of these days (UTC) of the 1,000 most frequent names of all time, most frequent first. */
export async function countEventsByDay(
  ctx: Context,
  projectId: string,
  { first, last, length }: Days,
): Promise<EventCountsByDay> {
  const range = { firstDay: String(first), lastDay: String(last) };
  const rows = await q.eventStats.byDay(ctx, { projectId, ...range, limit: MAX_NAMES_BY_DAY });
  const events = rows.map(({ name, total, places, counts, newestId }) => {
    const days = Array.from({ length }, () => 0);
    for (const [i, place] of places.entries()) days[place] = counts[i]!;
    return { name, total, counts: days, lastSeenAt: newestId === null ? null : timeOf(newestId) };
  });
  return { dates: Array.from({ length }, (_, n) => String(first.add({ days: n }))), events };
}

/** The names of all events, those of the service among them; the most frequent first, 10,000 at most. */
export async function listEventNames(ctx: Context, projectId: string): Promise<string[]> {
  return (await countEvents(ctx, projectId, null)).map(({ name }) => name);
}

/** The events that clients have tracked most often on these days (UTC). */
export async function rankEvents(
  ctx: Context,
  projectId: string,
  { first, last, length }: Days,
  { limit }: { limit: number },
): Promise<RankedEvent[]> {
  const rows = await q.eventStats.top(ctx, {
    projectId,
    firstDayBefore: String(asFarBack(first, length)),
    firstDay: String(first),
    lastDay: String(last),
    reserved: RESERVED_EVENTS,
    limit,
  });
  return rows.map(({ name, count, before }) => ({
    name,
    count,
    previousCount: before,
    trend: percentChange(before, count),
  }));
}

/** That many days earlier, and no earlier than there are years of four digits. */
function asFarBack(day: Temporal.PlainDate, days: number): Temporal.PlainDate {
  const least = Temporal.PlainDate.from("0001-01-01");
  const earlier = day.subtract({ days });
  return Temporal.PlainDate.compare(earlier, least) < 0 ? least : earlier;
}
