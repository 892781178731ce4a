// Contacts over time: who came, who went, and how many there were at the end of each day.
import { countBySubscription } from "../audience/contacts/list.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { type DaysQuery, readDays } from "./date_range.ts";
import { MAX_DAYS } from "./timeseries.ts";

/** A day (UTC). */
export interface ContactDay {
  date: string;
  created: number;
  deleted: number;
  subscribed: number;
  unsubscribed: number;
  bounced: number;
  complained: number;
  /** At the end of the day, or now. */
  total: number;
}

const EVENTS = {
  "contact.subscribed": "subscribed",
  "contact.unsubscribed": "unsubscribed",
  "email.bounce": "bounced",
  "email.complaint": "complained",
} as const;

/** A row for each day that is asked for, on days of UTC, all from counters. Throws BAD_REQUEST as `readDays` does. */
export async function readContactSeries(
  ctx: Context,
  projectId: string,
  query: Omit<DaysQuery, "tz">,
): Promise<ContactDay[]> {
  const days = readDays(query, { now: ctx.now(), maxDays: MAX_DAYS });
  const [from, until] = [dateOf(days.first), dateOf(days.last)];
  const [counted, events, { grown }, total] = await Promise.all([
    q.contactDays.list(ctx, { projectId, from, until }),
    q.contactDays.events(ctx, { projectId, from, until, names: Object.keys(EVENTS) }),
    q.contactDays.grownSince(ctx, { projectId, day: until }),
    countBySubscription(ctx, projectId),
  ]);
  const rows = Array.from({ length: days.length }, (_, n): ContactDay => {
    const date = days.first.add({ days: n }).toString();
    return {
      date,
      created: 0,
      deleted: 0,
      subscribed: 0,
      unsubscribed: 0,
      bounced: 0,
      complained: 0,
      total: 0,
    };
  });
  const byDate = new Map(rows.map((row) => [row.date, row]));
  for (const { day, created, deleted } of counted)
    Object.assign(byDate.get(textOf(day!))!, { created, deleted });
  for (const { day, name, count } of events) {
    byDate.get(textOf(day!))![EVENTS[name as keyof typeof EVENTS]] += count!;
  }
  // Counted backwards from what there is: nobody noted how many there were.
  let left = total - grown;
  for (const row of rows.toReversed()) {
    row.total = left;
    left -= row.created - row.deleted;
  }
  return rows;
}

function dateOf(day: Temporal.PlainDate): Date {
  return new Date(`${day.toString()}T00:00:00Z`);
}

function textOf(day: Date): string {
  return day.toISOString().slice(0, 10);
}
