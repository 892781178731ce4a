/**
 * A part of a whole in percent, with two decimals; 0 if there is no whole. In a time range a mail may be opened that
 * was sent before: never more than 100.
 */
export function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, Math.round((part / whole) * 10_000) / 100);
}

/** By how many percent a count is above another one, or below, with two decimals; 100 if there was nothing before. */
export function percentChange(before: number, after: number): number {
  return before <= 0 ? 100 : Math.round(((after - before) / before) * 10_000) / 100;
}
