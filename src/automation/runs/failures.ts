import { dataProblem } from "../../audience/contacts/data.ts";
import { isRefusal, isTimeout } from "../../database_errors.ts";
import { Problem } from "../../problem/mod.ts";

/** What a person can make of an error that a step ended with: a sentence for `exitReason`. */
export function reasonOf(error: unknown, stepName: string): string {
  return `Cannot carry out "${stepName}": ${becauseOf(dataProblem(error))}`;
}

function becauseOf(error: unknown): string {
  if (error instanceof Problem) return error.extras.errors?.[0]?.message ?? error.message;
  if (isRefusal(error)) return "the database rejects what it would write";
  if (isTimeout(error)) return "it exceeds the database's time limit on every attempt";
  return "an unexpected error occurs on every attempt";
}
