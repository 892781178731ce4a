// Ranges of days as requests name them: by dates, or by instants of the first and the last day.
import { type FieldError, problems } from "../problem.ts";

/** Days that follow each other, both among them, as they are in a time zone. */
export interface Days {
  first: Temporal.PlainDate;
  last: Temporal.PlainDate;
  timeZone: string;
  /** How many they are, 1 at least. */
  length: number;
}

/** What a request says; each may be left out. */
export interface DaysQuery {
  startDate?: string | undefined;
  endDate?: string | undefined;
  /** The name of a time zone. */
  tz?: string | undefined;
}

/** So many days are meant where nothing is said. */
export const USUAL_DAYS = 30;
/** Two years, one of which may be a leap year. */
export const MAX_DAYS = 731;

const OFFSET = String.raw`(Z|[+-]\d\d(:?\d\d)?)`;
const TIME = String.raw`[T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?`;
const LOCAL = new RegExp(`^[12]\\d{3}-\\d\\d-\\d\\d(${TIME})?$`, "i");
const ZONED = new RegExp(`^[12]\\d{3}-\\d\\d-\\d\\d${TIME}${OFFSET}$`, "i");
// A plus sign that nobody has encoded arrives as a blank.
const LOST_PLUS = /^(.{10}[T ].+) (\d\d(:?\d\d)?)$/i;
const NAME_OF_ZONE = /^[A-Z][A-Z0-9_+/-]{0,63}$/i;

/**
 * The days that a request asks for: a date is a day, an instant the day that it falls on in the time zone. Without an end
 * it is today, without a start there are 30 days. Throws BAD_REQUEST for what cannot be read, an end before the start, and
 * more than 731 days.
 */
export function readDays(
  query: DaysQuery,
  { now, timeZone: usual = "UTC" }: { now: Date; timeZone?: string },
): Days {
  const [startDate, endDate, tz] = [query.startDate, query.endDate, query.tz].map(
    (text) => text || undefined,
  );
  // No name has a blank: it was a plus sign that nobody has encoded.
  const timeZone = tz?.replace(" ", "+") ?? usual;
  if (!isTimeZone(timeZone)) throw problems.badParameters([zoneError(tz)]);
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const end = endDate === undefined ? today.toPlainDate() : toDay(endDate, timeZone);
  const start = startDate === undefined ? null : toDay(startDate, timeZone);
  const errors = [
    ...(startDate !== undefined && start === null ? [dateError("startDate", startDate)] : []),
    ...(end === null ? [dateError("endDate", endDate)] : []),
  ];
  if (end === null || errors.length > 0) throw problems.badParameters(errors);
  const first = start ?? end.subtract({ days: USUAL_DAYS - 1 });
  const length = first.until(end, { largestUnit: "day" }).days + 1;
  if (length < 1 || length > MAX_DAYS) throw problems.badParameters([rangeError(length, startDate)]);
  return { first, last: end, timeZone, length };
}

/** When each of the days begins, and when the last one ends: one moment more than there are days. */
export function startsOf({ first, timeZone, length }: Days): Date[] {
  return Array.from({ length: length + 1 }, (_, i) => {
    const start = first.add({ days: i }).toZonedDateTime(timeZone);
    return new Date(start.epochMilliseconds);
  });
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

function toDay(given: string, timeZone: string): Temporal.PlainDate | null {
  const text = given.trim().replace(LOST_PLUS, "$1+$2");
  try {
    if (LOCAL.test(text)) return Temporal.PlainDateTime.from(text).toPlainDate();
    if (ZONED.test(text)) return Temporal.Instant.from(text).toZonedDateTimeISO(timeZone).toPlainDate();
  } catch {
    // A day that there is not, such as 30 February.
  }
  return null;
}

function dateError(field: string, received: string | undefined): FieldError {
  const message = "Expected a date or a date-time in ISO 8601, such as 2026-01-31 or 2026-01-31T09:00:00Z";
  return { field, code: "invalid_string", message, received: received?.slice(0, 100) };
}

function zoneError(received: string | undefined): FieldError {
  const message = "Expected the name of a time zone, such as Europe/Berlin or UTC";
  return { field: "tz", code: "invalid_string", message, received: received?.slice(0, 100) };
}

function rangeError(length: number, startDate: string | undefined): FieldError {
  const field = startDate === undefined ? "endDate" : "startDate";
  if (length < 1) return { field, code: "custom", message: "The end is before the start" };
  const message = `A range has at most ${MAX_DAYS} days: this one has ${length}`;
  return { field, code: "too_big", message };
}
