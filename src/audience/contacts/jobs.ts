// What imports and bulk jobs have in common: long work in short transactions, that a crash does not do twice.
import { isConflict, isDatabaseAway, isTimeout } from "../../database_errors.ts";
import { Problem, problems } from "../../problem/mod.ts";
import { dataProblem } from "./data.ts";

/** Where a job stands. */
export type ContactJobState = "waiting" | "active" | "completed" | "failed";

/** Errors that the report of a job lists; the others are only counted. */
export const MAX_JOB_ERRORS = 1_000;

/**
 * How long a job works before it lets others have their turn and continues as a new job. Shorter than the time that a
 * process has to stop.
 */
export const SLICE_MS = 10_000;

/** Why the database refused a contact, in words for its owner. */
export function refusalReason(error: unknown): string {
  const problem = dataProblem(error);
  return problem instanceof Problem
    ? problem.extras.errors![0]!.message
    : "The values of this contact cannot be stored";
}

/** Why a job that threw this has failed permanently; null when it is worth another try. */
export function failureReason(error: unknown): string | null {
  if (error instanceof Problem) return error.message;
  const mayPass = isDatabaseAway(error) || isConflict(error) || isTimeout(error);
  return mayPass ? null : problems.unexpected().message;
}

/** Whole percent; 100 only when all is done. */
export function progressOf(state: ContactJobState, done: number, all: number | null): number {
  if (state === "completed") return 100;
  return all === null || all === 0 ? 0 : Math.min(99, Math.floor((done / all) * 100));
}
