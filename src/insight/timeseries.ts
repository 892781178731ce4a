import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { type DaysQuery, readDays, startsOf } from "./date_range.ts";

/** What became of mails on a day, by the time at which it did. Opens and clicks are mails that people opened, each once. */
export interface SeriesDay {
  /** Such as 2026-01-31. */
  date: string;
  emails: number;
  delivered: number;
  opens: number;
  clicks: number;
  bounces: number;
  complaints: number;
  /** Mails that filters and mail programs opened; a person may have, too. */
  machineOpens: number;
}

const NOTHING = {
  emails: 0,
  delivered: 0,
  opens: 0,
  clicks: 0,
  bounces: 0,
  complaints: 0,
  machineOpens: 0,
};

/**
 * A row for each day that is asked for, as days are in the time zone that is asked for, or in the project's own: one may
 * have 23 hours, or 25. Throws BAD_REQUEST for what `readDays` does not take.
 */
export async function readTimeseries(
  ctx: Context,
  projectId: string,
  query: DaysQuery,
): Promise<SeriesDay[]> {
  const settings = query.tz ? null : await q.projects.settings(ctx, { projectId });
  const days = readDays(query, { now: ctx.now(), timeZone: settings?.timezone ?? "UTC" });
  const starts = startsOf(days);
  const rows = await q.mailSeries.byDay(ctx, {
    projectId,
    starts: starts.slice(0, -1).map((start) => start.toISOString()),
    since: starts[0]!,
    until: starts.at(-1)!,
  });
  const byDay = new Map(rows.map(({ day, ...counts }) => [day, counts]));
  return Array.from({ length: days.length }, (_, i) => ({
    date: days.first.add({ days: i }).toString(),
    ...(byDay.get(i + 1) ?? NOTHING),
  }));
}
