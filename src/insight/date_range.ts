// Ranges of days as requests name them: by dates, or by instants of the first and the last day.
import { type FieldError, problems } from "../problem/mod.ts";

/** Days that follow each other, both among them, as they are in a time zone. */
export interface Days {
  first: Temporal.PlainDate;
  last: Temporal.PlainDate;
  timeZone: string;
  /** How many they are, 1 at least. */
  length: number;
}

/** The dates of a request; each may be left out. */
export interface DaysQuery {
  startDate?: string | undefined;
  endDate?: string | undefined;
  /** The name of a time zone. */
  tz?: string | undefined;
}

/** What is taken, and what is meant where nothing is said. */
interface DaysRules {
  now: Date;
  timeZone?: string | undefined;
  maxDays?: number;
  usualDays?: number | undefined;
}

/** The number of days without dates. */
export const USUAL_DAYS = 30;

const OFFSET = String.raw`(Z|[+-]\d\d(:?\d\d)?)`;
const TIME = String.raw`[T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?`;
const DAY_LENGTH = "2026-01-31".length;
const LOCAL = new RegExp(`^[1-9]\\d{3}-\\d\\d-\\d\\d(${TIME})?$`, "i");
const ZONED = new RegExp(`^[1-9]\\d{3}-\\d\\d-\\d\\d${TIME}${OFFSET}$`, "i");
// An unencoded plus sign arrives as a blank.
const LOST_PLUS = /^(.{10}[T ].+) (\d\d(:?\d\d)?)$/i;
/** Years of five digits are written in another way. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 45);
const NAME_OF_ZONE = /^[A-Z][A-Z0-9_+/-]{0,63}$/i;

/** A time as somebody wrote it: a day, a moment of some day's clock, or one that is the same everywhere. */
export type WrittenTime = Temporal.PlainDate | Temporal.PlainDateTime | Temporal.Instant;

/** Reads a date or a date-time in ISO 8601, as all of `startDate` and `endDate` are written; null for anything else. */
export function readTime(given: string): WrittenTime | null {
  const text = given.trim().replace(LOST_PLUS, "$1+$2");
  try {
    if (ZONED.test(text)) return Temporal.Instant.from(text);
    if (!LOCAL.test(text)) return null;
    return text.length === DAY_LENGTH ? Temporal.PlainDate.from(text) : Temporal.PlainDateTime.from(text);
  } catch {
    // A day that there is not, such as 30 February.
    return null;
  }
}

/** What is wrong with dates and a time zone by themselves, whatever day it is. */
export function daysErrors({ startDate, endDate, tz }: DaysQuery): FieldError[] {
  const dates = Object.entries({ startDate, endDate });
  return [
    ...dates.flatMap(([field, text]) => (!text || readTime(text) ? [] : [dateError(field, text)])),
    ...(!tz || isTimeZone(toZone(tz)) ? [] : [zoneError(tz)]),
  ];
}

/**
 * The days that a request asks for: a date is a day, an instant the day that it falls on in the time zone. Without an end
 * it is today, without a start there are 30 days (or `usualDays`). Throws BAD_REQUEST for what cannot be read, an end before the start, and
 * more days than `maxDays`.
 */
export function readDays(
  query: DaysQuery,
  { now, timeZone: usual = "UTC", maxDays = Infinity, usualDays = USUAL_DAYS }: DaysRules,
): Days {
  const errors = daysErrors(query);
  if (errors.length > 0) throw problems.badParameters(errors);
  const { startDate, endDate, tz } = query;
  const timeZone = tz ? toZone(tz) : usual;
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const end = endDate ? toDay(endDate, timeZone) : today.toPlainDate();
  const start = startDate ? toDay(startDate, timeZone) : null;
  const first = start ?? end.subtract({ days: usualDays - 1 });
  const length = first.until(end, { largestUnit: "day" }).days + 1;
  if (length < 1 || length > maxDays)
    throw problems.badParameters([rangeError(length, maxDays, startDate || undefined)]);
  return { first, last: end, timeZone, length };
}

/** When each of the days begins, and when the last one ends: one moment more than there are days. */
export function startsOf(days: Days): Date[] {
  return Array.from({ length: days.length + 1 }, (_, i) => startOf(days, i));
}

/** When the first of the days begins, and when the last one ends. */
export function limitsOf(days: Days): [Date, Date] {
  return [startOf(days, 0), startOf(days, days.length)];
}

function startOf({ first, timeZone }: Days, index: number): Date {
  // Without a time: a day need not begin at midnight.
  const start = first.add({ days: index }).toZonedDateTime(timeZone);
  return new Date(Math.min(start.epochMilliseconds, LAST_MS));
}

/** True for a name that the time zones of IANA have, in any spelling of it that was ever current. */
function isTimeZone(name: string): boolean {
  // No offsets: a day need not begin at a quarter of an hour there.
  if (!NAME_OF_ZONE.test(name)) return false;
  try {
    Temporal.PlainDate.from("2000-01-01").toZonedDateTime(name);
    return true;
  } catch {
    return false;
  }
}

/** No name contains a blank: it was an unencoded plus sign. */
function toZone(tz: string): string {
  return tz.replace(" ", "+");
}

/** The day of a time that can be read. */
function toDay(text: string, timeZone: string): Temporal.PlainDate {
  const time = readTime(text)!;
  if (time instanceof Temporal.Instant) return time.toZonedDateTimeISO(timeZone).toPlainDate();
  return time instanceof Temporal.PlainDateTime ? time.toPlainDate() : time;
}

/** What is wrong with a time that {@linkcode readTime} cannot read. */
export function dateError(field: string, received: string | undefined): FieldError {
  const message = "Expected a date or a date-time in ISO 8601, such as 2026-01-31 or 2026-01-31T09:00:00Z";
  return { field, code: "invalid_string", message, received: received?.slice(0, 100) };
}

function zoneError(received: string | undefined): FieldError {
  const message = "Expected the name of a time zone, such as Europe/Berlin or UTC";
  return { field: "tz", code: "invalid_string", message, received: received?.slice(0, 100) };
}

function rangeError(length: number, maxDays: number, startDate: string | undefined): FieldError {
  const field = startDate === undefined ? "endDate" : "startDate";
  if (length < 1) return { field, code: "custom", message: "The end is before the start" };
  const message = `A range has at most ${maxDays} days: this one has ${length}`;
  return { field, code: "too_big", message };
}
