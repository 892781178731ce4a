// What graphile-worker asks of its private tables is told apart here, by the text of its `sql/`: it has no option for what is
// done after a lost connection. `test/db/runner_queries_test.ts` fails when an update changes the texts.
import type pg from "pg";

/** `complete_jobs` and `fail_jobs`. Each names its jobs, so that it can be repeated. */
const SETTLES = /^(with j as \(\s*)?(delete from|update) \S+_private_jobs\S* as jobs\s/;

/** `get_jobs`. */
const FETCHES = /^with j\w* as \(\s*select jobs\./;

/** The code after which it repeats a statement at once, up to 100 times (`RETRYABLE_ERROR_CODES`). */
export const REPEATED = "40001";

/** Whether this reports that jobs are over, one way or the other. */
export function isSettling(asked: unknown): asked is pg.QueryConfig {
  return SETTLES.test(textOf(asked));
}

/** The jobs of which that reports: their ids in a list, one alone, or in JSON beside what went wrong. */
export function jobsSettledBy({ values = [] }: pg.QueryConfig): string[] {
  return values.flatMap((value: unknown) =>
    Array.isArray(value)
      ? value.map(String)
      : Array.from(String(value).matchAll(/^\d+$|(?<="jobId":"?)\d+/g), ([id]) => id),
  );
}

/** Whether this takes jobs. */
export function isFetching(asked: unknown): asked is pg.QueryConfig {
  return FETCHES.test(textOf(asked));
}

function textOf(asked: unknown): string {
  return typeof asked === "object" && asked !== null ? String((asked as pg.QueryConfig).text) : "";
}
