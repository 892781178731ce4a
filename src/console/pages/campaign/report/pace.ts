// How fast something continues, and for how long.

/** How much was done at a moment, in milliseconds of any clock. */
export interface Sample {
  at: number;
  done: number;
}

/** The count is read again every few seconds: before that it seems frozen. */
const LEAST_MS = 7_000;

/** How many a second, from the first sample to the last. Null where they are too close to each other. */
export function rateOf(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at - first.at < LEAST_MS) return null;
  return Math.max(0, ((last.done - first.done) / (last.at - first.at)) * 1_000);
}

/** `less than a minute`, `about 5 minutes`, `about 3 hours`. */
export function durationOf(seconds: number): string {
  if (seconds < 50) return "less than a minute";
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return minutes === 1 ? "about a minute" : `about ${minutes} minutes`;
  const hours = Math.round(seconds / 3_600);
  return hours < 48 ? `about ${hours} hours` : `about ${Math.round(hours / 24)} days`;
}
