// Instants in ISO 8601, as people write them into contact data and conditions.

/** Units of `within` and `olderThan`. */
export const UNITS = ["minutes", "hours", "days", "weeks", "months"] as const;
/** A unit of time. */
export type Unit = (typeof UNITS)[number];

/** The longest time that a condition may look back: a hundred years. */
export const MAX_AMOUNT: Record<Unit, number> = {
  minutes: 52_560_000,
  hours: 876_000,
  days: 36_500,
  weeks: 5_200,
  months: 1_200,
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const UNIT_MS = { minutes: MINUTE_MS, hours: 60 * MINUTE_MS, days: DAY_MS, weeks: 7 * DAY_MS };

const DATE = /^[1-9]\d{3}-\d\d-\d\d$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?$/;
const OFFSET = /^([+-])(0\d|1[0-4]):?([0-5]\d)?$/;

/**
 * The instant of a text in ISO 8601, in milliseconds, or null. Accepts exactly what the SQL function `instant_of`
 * accepts.
 */
export function toInstant(text: string): Date | null {
  const date = text.slice(0, 10);
  const midnight = DATE.test(date) ? new Date(`${date}T00:00:00.000Z`) : null;
  // JavaScript moves a day that does not exist into the next month.
  if (!midnight || Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return null;
  if (text.length === 10) return midnight;
  const [, time = "", offset = ""] = /^[T ]([\d:.]*)(Z|[+-][\d:]*)?$/.exec(text.slice(10)) ?? [];
  const offsetMs = offset === "" || offset === "Z" ? 0 : offsetOf(offset);
  if (!TIME.test(time) || offsetMs === null) return null;
  const [clock = "", fraction = ""] = time.split(".");
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(":").map(Number);
  const inDay = ((hours * 60 + minutes) * 60 + seconds) * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3));
  return new Date(midnight.getTime() + inDay - offsetMs);
}

/** True for a day without a time. */
export function isDay(text: string): boolean {
  return text.length === 10 && toInstant(text) !== null;
}

function offsetOf(text: string): number | null {
  const [, sign, hours, minutes = "00"] = OFFSET.exec(text) ?? [];
  if (hours === undefined || (text.includes(":") && text.length !== 6)) return null;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

/**
 * The instant that many units before `now`. Months are calendar months, in UTC: one before 31 March is 28 or 29
 * February.
 */
export function unitsBefore(now: Date, amount: number, unit: Unit): Date {
  if (unit !== "months") return new Date(now.getTime() - amount * UNIT_MS[unit]);
  const date = new Date(now);
  date.setUTCMonth(date.getUTCMonth() - amount);
  if (date.getUTCDate() !== now.getUTCDate()) date.setUTCDate(0);
  return date;
}

/** The instant that many milliseconds later. */
export function later(instant: Date, ms: number): Date {
  return new Date(instant.getTime() + ms);
}

/** The instant one day later. */
export function nextDay(instant: Date): Date {
  return later(instant, DAY_MS);
}

/**
 * The texts between which an ISO 8601 date must lie to be near an instant, whatever its offset: one below `from` is
 * earlier than the instant, and one from `to` on is later, both as instants and as texts in code point order. So most
 * dates need not be parsed, which takes ten times as long as comparing them.
 */
export function textsNear(instant: Date): { from: string; to: string } {
  return { from: dayText(instant, -1), to: dayText(instant, 2) };
}

function dayText(instant: Date, days: number): string {
  const date = later(instant, days * DAY_MS);
  // ":" follows the digits: no date is later.
  return date.getUTCFullYear() > 9999 ? ":" : date.toISOString().slice(0, 10);
}

/** The smallest UUID of version 7 that can have been made at an instant or after it. */
export function firstIdAt(instant: Date): string {
  const hex = Math.max(0, instant.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
