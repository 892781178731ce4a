// `startDate` and `endDate`, as several lists and statistics take them.
import { t } from "elysia";
import { dateError, readTime, type WrittenTime } from "../../insight/date_range.ts";
import { type FieldError, problems } from "../../problem.ts";

/** The query of something that can be limited to a period. */
export const PeriodQuery = {
  startDate: t.Optional(
    t.String({ description: "ISO 8601. From this moment on; a date is the start of that day (UTC)." }),
  ),
  endDate: t.Optional(
    t.String({ description: "ISO 8601. This moment is the last; a date is the end of that day (UTC)." }),
  ),
};

/** From a moment on, and until before another one. Undefined: without limit. */
export interface Period {
  from: Date | undefined;
  until: Date | undefined;
}

interface Dates {
  startDate?: string | undefined;
  endDate?: string | undefined;
}

/** What is wrong with the two dates. */
export function periodErrors({ startDate, endDate }: Dates): FieldError[] {
  const errors = Object.entries({ startDate, endDate }).flatMap(([field, text]): FieldError[] =>
    !text || readTime(text) ? [] : [dateError(field, text)],
  );
  if (errors.length > 0) return errors;
  const { from, until } = periodOf({ startDate, endDate });
  if (!from || !until || from < until) return [];
  return [
    { field: "endDate", code: "custom", message: "Expected no date before startDate", received: endDate },
  ];
}

/** The requested period. Throws BAD_REQUEST for invalid dates. */
export function readPeriod(query: Dates): Period {
  const errors = periodErrors(query);
  if (errors.length > 0) throw problems.badParameters(errors);
  return periodOf(query);
}

function periodOf({ startDate, endDate }: Dates): Period {
  const [first, last] = [startDate, endDate].map((text) => (text ? readTime(text) : null));
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
