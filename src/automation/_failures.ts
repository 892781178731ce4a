import { dataProblem } from "../audience/contact_data.ts";
import { isRefusal } from "../database_errors.ts";
import { Problem } from "../problem.ts";

/** What a person can make of an error that a step ended with: a sentence for `exitReason`. */
export function reasonOf(error: unknown, stepName: string): string {
  const known = dataProblem(error);
  const because =
    known instanceof Problem
      ? (known.extras.errors?.[0]?.message ?? known.message)
      : isRefusal(error)
        ? "the database refuses what it would write"
        : "something unexpected went wrong";
  return `Cannot carry out "${stepName}": ${because}`;
}
