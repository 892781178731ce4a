// The hours of a campaign as they are drawn.
import type { CampaignHour } from "../../../api.gen.ts";

/** An hour or a day, by when it begins. */
export interface DrawnPeriod {
  at: string;
  opened: number;
  clicked: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** More bars than that cannot be told from each other. */
const MAX_HOURS = 72;

/** All hours from the first in which something happened to the last, with those in which nothing did; or the days. */
export function periodsOf(hours: readonly CampaignHour[]): { rows: DrawnPeriod[]; isByDay: boolean } {
  const times = hours.map(({ hour }) => new Date(hour).getTime());
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (hours.length === 0) return { rows: [], isByDay: false };
  const isByDay = last - first >= MAX_HOURS * HOUR_MS;
  const step = isByDay ? DAY_MS : HOUR_MS;
  const begin = Math.floor(first / step) * step;
  const rows = Array.from({ length: Math.floor((last - begin) / step) + 1 }, (_, i) => ({
    at: new Date(begin + i * step).toISOString(),
    opened: 0,
    clicked: 0,
  }));
  for (const [i, { opened, clicked }] of hours.entries()) {
    const row = rows[Math.floor((times[i]! - begin) / step)]!;
    row.opened += opened;
    row.clicked += clicked;
  }
  return { rows, isByDay };
}
