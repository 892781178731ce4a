import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { type DaysQuery, readDays, startsOf } from "./date_range.ts";

/** Two years, one of which may be a leap year: each day is a row. */
export const MAX_DAYS = 731;

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

/**
 * A row for each day that is asked for, as days are in the time zone that is asked for, or in the project's own: one may
 * have 23 hours, or 25. Throws BAD_REQUEST for what `readDays` does not take, and
 * more than 731 days.
 */
export async function readTimeseries(
  ctx: Context,
  projectId: string,
  query: DaysQuery,
): Promise<SeriesDay[]> {
  const settings = query.tz ? null : await q.projects.settings(ctx, { projectId });
  const days = readDays(query, { now: ctx.now(), timeZone: settings?.timezone ?? "UTC", maxDays: MAX_DAYS });
  const moments = startsOf(days).map((start) => start.toISOString());
  const rows = await q.mailSeries.byDay(ctx, {
    projectId,
    starts: moments.slice(0, -1),
    ends: moments.slice(1),
  });
  return rows.map(({ day, botOpens, ...counts }) => ({
    date: days.first.add({ days: day - 1 }).toString(),
    ...counts,
    machineOpens: botOpens,
  }));
}
