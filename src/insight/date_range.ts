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

const TIME = String.raw`([T ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+ -]\d\d(:?\d\d)?)?)?`;
const DATE_OR_TIME = new RegExp(`^[12]\\d{3}-\\d\\d-\\d\\d${TIME}$`, "i");
const ZONED = /[T ].*(Z|[+ -]\d\d(:?\d\d)?)$/i;
const NAME_OF_ZONE = /^[A-Z][A-Z0-9_+/-]{0,63}$/i;

/**
 * The days that a request asks for: a date is a day, an instant the day that it falls on in the time zone. Without an end
 * it is today, without a start there are 30 days. Throws BAD_REQUEST for what cannot be read, an end before the start, and
 * more than 731 days.
 */
export function readDays(
  { startDate, endDate, tz }: DaysQuery,
  { now, timeZone: usual = "UTC" }: { now: Date; timeZone?: string },
): Days {
  const timeZone = tz ?? usual;
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

/** A day as a `date` of Postgres. */
export function toDate(day: Temporal.PlainDate): Date {
  return new Date(`${day.toString()}T00:00:00.000Z`);
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

function toDay(text: string, timeZone: string): Temporal.PlainDate | null {
  if (!DATE_OR_TIME.test(text)) return null;
  // A plus sign that nobody has encoded arrives as a blank.
  const written = text.replace(/ (?=\d\d(:?\d\d)?$)(?<=[T ].*)/i, (blank, ..._rest) => plusFor(text, blank));
  try {
    if (!ZONED.test(text)) return Temporal.PlainDateTime.from(written).toPlainDate();
    return Temporal.Instant.from(written).toZonedDateTimeISO(timeZone).toPlainDate();
  } catch {
    return null;
  }
}
