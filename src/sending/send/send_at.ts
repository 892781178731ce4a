// The time for which a mail is scheduled, as requests write it.
import type { FieldError } from "../../problem/mod.ts";

/** How far ahead: what a mail says is kept until then. */
export const MAX_DAYS_AHEAD = 90;
const DAY_MS = 86_400_000;
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?$/i;
const HAS_ZONE = /(Z|[+-]\d\d(:?\d\d)?)$/i;

/** The time that is meant, in UTC where it has no zone; null for what is no date and time in ISO 8601. */
export function readSendAt(text: string): Date | null {
  if (!ISO_TIME.test(text)) return null;
  try {
    const instant = HAS_ZONE.test(text.slice(10))
      ? Temporal.Instant.from(text)
      : Temporal.PlainDateTime.from(text).toZonedDateTime("UTC").toInstant();
    return new Date(instant.epochMilliseconds);
  } catch {
    return null;
  }
}

/**
 * What is wrong with a time that a request gives. One with an idempotency key may be a repetition, and its time over: that is
 * looked at once the key is known to be free (`_accept.ts`).
 */
export function sendAtErrors(
  text: string | undefined,
  now: Date,
  { mayBeOver = false }: { mayBeOver?: boolean } = {},
): FieldError[] {
  if (text === undefined) return [];
  const field = "sendAt";
  const time = readSendAt(text);
  if (time === null) {
    const message = "Expected a date and time in ISO 8601, such as 2030-01-31T09:00:00Z";
    return [{ field, code: "invalid_string", message, received: text }];
  }
  if (time <= now && !mayBeOver) {
    const message = "Expected a time in the future: leave it out to send at once";
    return [{ field, code: "custom", message, received: text }];
  }
  if (time.getTime() - now.getTime() <= MAX_DAYS_AHEAD * DAY_MS) return [];
  const message = `A mail can be scheduled up to ${MAX_DAYS_AHEAD} days ahead`;
  return [{ field, code: "custom", message, received: text }];
}
