// What an error of the database means, by its SQLSTATE or the driver's code.
export { mayHaveHappened, withoutEffect } from "./db/patience.ts";

/** The data is at fault, not the database: classes 22 and 23, and data too large or too deep for it (54). */
export function isRefusal(error: unknown): boolean {
  return /^(22|23|54)/.test(codeOf(error));
}

/** Two transactions met crosswise, and this one gave way: the same work may be done again. */
export function isConflict(error: unknown): boolean {
  return /^40(001|P01)$/.test(codeOf(error));
}

/** There is a row with this key already. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === "23505";
}

/** A statement took longer than it was given. */
export function isTimeout(error: unknown): boolean {
  return codeOf(error) === "57014";
}

/** Somebody else holds the requested lock. */
export function isHeld(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/**
 * The database cannot work now, whatever it is asked: the connection is lost or refused, or the server is shutting
 * down, starting, read-only (25006, as after a failover), out of memory, disk or connections (53), waited for a lock
 * for too long (55P03), or cannot reach its files (58).
 */
export function isDatabaseAway(error: unknown): boolean {
  return /^(CONNECTION_|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|08|25006|53|55P03|57P0|58)/.test(
    codeOf(error),
  );
}

/** The parent of a row that was deleted in the meantime: `workflow`. Null for any other error. */
export function goneParent(error: unknown): string | null {
  if (codeOf(error) !== "23503") return null;
  return /_([a-z]+)_id_fkey$/.exec(violatedConstraint(error) ?? "")?.[1] ?? "record";
}

/** The constraint that was violated, if one was. */
export function violatedConstraint(error: unknown): string | undefined {
  return (error as { constraint_name?: string } | null)?.constraint_name;
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? "");
}
