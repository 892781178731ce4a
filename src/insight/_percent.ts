/**
 * What a part of a whole is in percent, with two decimals; 0 where there is no whole. In a range of time a mail may be
 * opened that was sent before: more than all of it is not said.
 */
export function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, Math.round((part / whole) * 10_000) / 100);
}
