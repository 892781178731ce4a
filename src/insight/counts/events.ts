// Events by day and name: kept by triggers (`count_events_added`), rolled up and checked here.
import { type Context, inTransaction, patiently } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { rollUpAll } from "../../rollup.ts";

/** A counter that does not say what there is: of a day, or of all time if there is none. */
export interface EventCountFault {
  day: Date | null;
  name: string;
  facts: number;
  counted: number;
}

/** How many days are read in one statement: with 100,000,000 events in two years it takes 1.5 s. */
const DAYS = 7;
const DAY_MS = 86_400_000;
/** How far an event may be from the time of its id, plus the rest of the day. */
const SLACK_DAYS = 2;
const FIRST_DAY = new Date("1970-01-02");

/** Adds what has been counted since the last time to the days and the totals. Returns whether there was anything. */
export async function rollUpEventCounts(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, q.eventCounts.rollUp);
}

/**
 * Compares the counters of a project with its events, a few days at a time: days without expired events, or all where
 * that `forgets`, and then the totals with their days. Returns up to `limit` faults.
 */
export async function eventCountFaults(
  ctx: Context,
  projectId: string,
  { forgets = false, limit }: { forgets?: boolean; limit: number },
): Promise<EventCountFault[]> {
  const faults: EventCountFault[] = [];
  for await (const days of weeksOf(ctx, projectId, forgets)) {
    faults.push(...(await q.eventCounts.faults(ctx, { projectId, ...days, forgets, limit })));
    if (faults.length >= limit) return faults.slice(0, limit);
  }
  const totals = await q.eventCounts.totalFaults(ctx, { projectId, limit });
  const ofAllTime = totals.map(({ name, days, total }) => ({ day: null, name, facts: days, counted: total }));
  return [...faults, ...ofAllTime].slice(0, limit);
}

/**
 * Makes the counters of a project equal its events, while others continue to record: days without expired events at the
 * time they are read, or all where it `forgets`, and all totals. Returns how many counters were wrong.
 */
export async function recountEvents(
  ctx: Context,
  projectId: string,
  { forgets }: { forgets: boolean },
): Promise<number> {
  let wrong = 0;
  for await (const days of weeksOf(ctx, projectId, forgets)) {
    wrong += await inTransaction(patiently(ctx), async (tx) => {
      await q.recounts.hold(tx, { projectId, kind: "events" });
      return await q.eventCounts.recount(tx, { projectId, ...days, forgets });
    });
  }
  return await inTransaction(patiently(ctx), async (tx) => {
    await q.recounts.keepOutRollup(tx);
    return wrong + (await q.eventCounts.recountTotals(tx, { projectId }));
  });
}

/**
 * The days of a project that have something, a few at a time; days with expired events are skipped. More may expire in
 * the meantime: whatever uses the days checks again.
 */
async function* weeksOf(
  ctx: Context,
  projectId: string,
  forgets: boolean,
): AsyncGenerator<{ firstDay: Date; lastDay: Date }> {
  const expired = forgets ? undefined : (await q.expired.ofProject(ctx, { projectId }))?.events;
  let fromDay = expired ? daysAfter(expired, SLACK_DAYS) : FIRST_DAY;
  for (;;) {
    const next = await q.eventCounts.nextDay(ctx, { projectId, fromDay });
    if (!next) return;
    yield { firstDay: next.day, lastDay: daysAfter(next.day, DAYS - 1) };
    fromDay = daysAfter(next.day, DAYS);
  }
}

function daysAfter(day: Date, days: number): Date {
  return new Date(day.getTime() + days * DAY_MS);
}
