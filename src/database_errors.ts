// What an error of the database means, by its SQLSTATE or the driver's code.

/** The data is at fault, not the database: classes 22 and 23. */
export function isRefusal(error: unknown): boolean {
  return /^2[23]/.test(codeOf(error));
}

/** Two transactions met crosswise, and this one gave way: the same work may be done again. */
export function isConflict(error: unknown): boolean {
  return /^40(001|P01)$/.test(codeOf(error));
}

/** A statement took longer than it was given. */
export function isTimeout(error: unknown): boolean {
  return codeOf(error) === "57014";
}

/** The connection is lost or refused, or the server is shutting down, starting, or full. */
export function isDatabaseAway(error: unknown): boolean {
  return /^(CONNECTION_|CONNECT_TIMEOUT|ECONNREFUSED|ECONNRESET|EPIPE|08|57P0|53300)/.test(codeOf(error));
}

/** The constraint that was violated, if one was. */
export function violatedConstraint(error: unknown): string | undefined {
  return (error as { constraint_name?: string } | null)?.constraint_name;
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? "");
}
