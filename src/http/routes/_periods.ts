// `startDate` and `endDate`, as several lists and statistics take them.
import { t } from "elysia";
import { dateError, readTime, type WrittenTime } from "../../insight/date_range.ts";
import { type FieldError, problems } from "../../problem/mod.ts";

/** The query of something that can be limited to a period. */
export const PeriodQuery = {
  startDate: t.Optional(
    t.String({ description: "ISO 8601. From this time on; a date means the start of that day (UTC)." }),
  ),
  endDate: t.Optional(
    t.String({
      description: "ISO 8601. Up to and including this time; a date means the end of that day (UTC).",
    }),
  ),
};

/** The same by shorter names. */
export const SpanQuery = (what: string) => ({
  from: t.Optional(
    t.String({
      description: `ISO 8601. ${what} at this time or later; a date means the start of that day (UTC).`,
    }),
  ),
  until: t.Optional(
    t.String({
      description: `ISO 8601. ${what} at this time or earlier; a date means the end of that day (UTC).`,
    }),
  ),
});

/** From a moment on, and until before another one. Undefined: without limit. */
export interface Period {
  from: Date | undefined;
  until: Date | undefined;
}

/** By either pair of names. */
interface Dates {
  startDate?: string | undefined;
  endDate?: string | undefined;
  from?: string | undefined;
  until?: string | undefined;
}

/** What is wrong with the two dates. */
export function periodErrors({ startDate, endDate, from: first, until: last }: Dates): FieldError[] {
  const dates = { startDate, endDate, from: first, until: last };
  const errors = Object.entries(dates).flatMap(([field, text]): FieldError[] =>
    !text || readTime(text) ? [] : [dateError(field, text)],
  );
  if (errors.length > 0) return errors;
  const { from, until } = periodOf(dates);
  if (!from || !until || from < until) return [];
  const [field, other] = last ? ["until", "from"] : ["endDate", "startDate"];
  const message = `Expected no date before ${other}`;
  return [{ field, code: "custom", message, received: last ?? endDate }];
}

/** The requested period. Throws BAD_REQUEST for invalid dates. */
export function readPeriod(dates: Dates): Period {
  const errors = periodErrors(dates);
  if (errors.length > 0) throw problems.badParameters(errors);
  return periodOf(dates);
}

function periodOf({ startDate, endDate, from, until }: Dates): Period {
  const [first, last] = [from || startDate, until || endDate].map((text) => (text ? readTime(text) : null));
  return {
    from: first ? new Date(toMs(first)) : undefined,
    until: last
      ? new Date(last instanceof Temporal.PlainDate ? toMs(last.add({ days: 1 })) : toMs(last) + 1)
      : undefined,
  };
}

/** The first millisecond of a time; without a zone it is in UTC. */
function toMs(time: WrittenTime): number {
  return time instanceof Temporal.Instant
    ? time.epochMilliseconds
    : time.toZonedDateTime("UTC").epochMilliseconds;
}
