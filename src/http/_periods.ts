// `startDate` and `endDate`, as several lists and statistics take them.
import { t } from "elysia";
import { toInstant } from "../audience/condition_tree.ts";
import { type FieldError, problems } from "../problem.ts";

const DAY_MS = 86_400_000;
const DAY_LENGTH = "2026-01-31".length;

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
  const errors = Object.entries({ startDate, endDate }).flatMap(([field, text]): FieldError[] => {
    if (!text || toInstant(text)) return [];
    const message = "Expected a date or a date and time in ISO 8601";
    return [{ field, code: "invalid_string", message, received: text.slice(0, 100) }];
  });
  if (errors.length > 0) return errors;
  const { from, until } = periodOf({ startDate, endDate });
  if (!from || !until || from < until) return [];
  return [
    { field: "endDate", code: "custom", message: "Expected no date before startDate", received: endDate },
  ];
}

/** The period that is meant. Throws BAD_REQUEST for dates that are none. */
export function readPeriod(query: Dates): Period {
  const errors = periodErrors(query);
  if (errors.length > 0) throw problems.badParameters(errors);
  return periodOf(query);
}

function periodOf({ startDate, endDate }: Dates): Period {
  const last = endDate ? toInstant(endDate)! : undefined;
  const lasts = endDate?.length === DAY_LENGTH ? DAY_MS : 1;
  return {
    from: startDate ? toInstant(startDate)! : undefined,
    until: last && new Date(last.getTime() + lasts),
  };
}
