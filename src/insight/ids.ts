// Ids as places in the order of time: their first 48 bits are the milliseconds at which they were made.

/** Not above any id. */
export const FIRST_ID = "00000000-0000-0000-0000-000000000000";
/** Not below any id. */
export const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The moment that is in a UUID of version 7, or in the first one that a moment could have. */
export function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16));
}
