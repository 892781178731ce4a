// The marks of an axis of counts.

const STEPS = [1, 2, 5, 10];
const PARTS = 4;

/** Whole numbers from 0 to `max` or just above it, at most six of them, in steps of 1, 2 or 5 times a power of ten. */
export function ticksTo(max: number): number[] {
  const least = Math.max(1, max / PARTS);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = STEPS.map((times) => times * power).find((size) => size >= least)!;
  return Array.from({ length: Math.max(1, Math.ceil(max / step)) + 1 }, (_, n) => n * step);
}
