// When a campaign will be sent, as requests write it.
import { problems } from "../../problem/mod.ts";

const ISO_TIME = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?)?$/i;
const HAS_ZONE = /(Z|[T ].*[+-]\d\d(:?\d\d)?)$/i;

/** The time that a campaign is scheduled for, in UTC where it has no zone; null for now. What cannot be read is 400. */
export function scheduledTime(value: unknown): Date | null {
  if (value === undefined || value === null) return null;
  try {
    if (typeof value !== "string") throw new RangeError("not a date");
    if (!ISO_TIME.test(value)) return otherTime(value);
    const instant = HAS_ZONE.test(value)
      ? Temporal.Instant.from(value)
      : Temporal.PlainDateTime.from(value).toZonedDateTime("UTC").toInstant();
    return new Date(instant.epochMilliseconds);
  } catch {
    throw problems.badRequest(
      "Cannot read scheduledFor as a date",
      "Send an ISO 8601 date-time such as 2030-01-31T09:00:00Z, or leave it out to send now",
    );
  }
}

/** Any other date that JavaScript reads, such as that of a mail; in UTC where it has no zone. */
function otherTime(value: string): Date {
  const isZoned = /(Z|[+-]\d\d:?\d\d|\b(GMT|UTC|[ECMP][SD]T))\b|\)$/i.test(value);
  const time = new Date(isZoned ? value : `${value} UTC`);
  if (!/\d/.test(value) || Number.isNaN(time.getTime())) throw new RangeError("not a date");
  return time;
}
