import type { Context } from "../context.ts";
import type { Queries } from "../db/queries.gen.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem/mod.ts";
import { compileEmailFilter, compileTagged } from "../sending/delivery/emails.ts";
import { withinBudget } from "../time_budget.ts";
import { type Days, type DaysQuery, limitsOf, readDays, startsOf } from "./date_range.ts";
import { idsAccepted } from "./mail_tags.ts";

/** Two years, one of which may be a leap year: each day is a row. */
export const MAX_DAYS = 731;
/** Hour by hour. */
export const MAX_DAYS_OF_HOURS = 7;

const HOUR_MS = 3_600_000;
/** For mails that are counted one by one: about a million. */
const LEDGER_BUDGET_MS = 2_000;
/** How long after they were accepted mails with a tag are counted: they may be scheduled for 90 days later. */
export const DAYS_UNTIL_COUNTED = 120;

/** What happened to mails on a day, by the time at which it did. Opens and clicks are mails that people opened, each once. */
export interface SeriesDay {
  /** Such as 2026-01-31. */
  date: string;
  /** Hour by hour: when it begins. */
  hour?: Date;
  emails: number;
  delivered: number;
  opens: number;
  clicks: number;
  bounces: number;
  complaints: number;
  /** Mails that filters and mail programs opened; a person may have, too. */
  machineOpens: number;
}

/** Days, or the hours of at most 7 of them, of all mails or those of one of these. */
export interface SeriesQuery extends DaysQuery {
  interval?: "day" | "hour" | undefined;
  campaignId?: string | undefined;
  templateId?: string | undefined;
  workflowId?: string | undefined;
  /** As `name:value`. */
  tag?: string | undefined;
}

type Row = Awaited<ReturnType<Queries["mailSeries"]["byDay"]>>[number];

const NOTHING = { emails: 0, delivered: 0, opens: 0, clicks: 0, bounces: 0, complaints: 0, botOpens: 0 };

/**
 * A row for each day (or hour) that is asked for, as days are in the time zone that is asked for, or in the project's own:
 * one may have 23 hours, or 25. Throws BAD_REQUEST for what `readDays` does not take, more than 731 days, or 7 of hours, and
 * for a template, a workflow or a tag with more mails than can be counted in two seconds.
 */
export async function readTimeseries(
  ctx: Context,
  projectId: string,
  query: SeriesQuery,
): Promise<SeriesDay[]> {
  const settings = query.tz ? null : await q.projects.settings(ctx, { projectId });
  const byHour = query.interval === "hour";
  const days = readDays(query, {
    now: ctx.now(),
    timeZone: settings?.timezone ?? "UTC",
    maxDays: byHour ? MAX_DAYS_OF_HOURS : MAX_DAYS,
    usualDays: byHour ? 1 : undefined,
  });
  const moments = byHour ? hoursOf(days) : startsOf(days);
  const rows = await readRows(ctx, projectId, query, moments);
  const byPlace = new Map(rows.map(({ day, ...counts }) => [day, counts]));
  return moments.slice(0, -1).map((start, i) => {
    const { botOpens, ...counts } = byPlace.get(i + 1) ?? NOTHING;
    const place = byHour
      ? { date: dayOf(start, days), hour: start }
      : { date: days.first.add({ days: i }).toString() };
    return { ...place, ...counts, machineOpens: botOpens };
  });
}

async function readRows(
  ctx: Context,
  projectId: string,
  { campaignId, templateId, workflowId, tag }: SeriesQuery,
  moments: Date[],
): Promise<Row[]> {
  const ids = idsAccepted(moments[0]!, moments.at(-1)!, DAYS_UNTIL_COUNTED);
  const starts = moments.map((moment) => moment.toISOString());
  if (templateId === undefined && workflowId === undefined && tag === undefined) {
    return await q.mailSeries.byDay(ctx, {
      projectId,
      campaignId: campaignId ?? null,
      starts: starts.slice(0, -1),
      ends: starts.slice(1),
    });
  }
  const rows = await withinBudget(ctx, LEDGER_BUDGET_MS, (tx) => {
    const others = compileEmailFilter(tx, projectId, { campaignId, templateId, workflowId });
    const filter = tag === undefined ? others : compileTagged(tx, projectId, others, { tag, ...ids });
    return q.mailSeries.ofLedger(tx, { projectId, filter, starts });
  });
  if (rows !== null) return rows;
  throw tag === undefined
    ? problems.tooMuchToCount(workflowId === undefined ? "template" : "workflow")
    : problems.tooManyTagged();
}

/** When each hour of these days begins, and when the last one ends. */
function hoursOf(days: Days): Date[] {
  const [first, end] = limitsOf(days).map((moment) => moment.getTime());
  const count = Math.ceil((end! - first!) / HOUR_MS);
  return Array.from({ length: count + 1 }, (_, i) => new Date(Math.min(first! + i * HOUR_MS, end!)));
}

function dayOf(moment: Date, { timeZone }: Days): string {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString();
}
