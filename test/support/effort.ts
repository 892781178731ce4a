// How much something takes, asked so that a busy machine does not answer in its place.

/** The processor time of `work` as a multiple of what a known amount of work takes before and after it. */
export function effortOf(work: () => void): number {
  const before = processorTime(knownWork);
  const taken = processorTime(work);
  return (2 * taken) / (before + processorTime(knownWork));
}

/**
 * How many milliseconds `work` takes: as soon as it was done in less than `enoughMs`, that time; otherwise the least of ten. What
 * takes longer by itself does so each time.
 */
export async function quickestOf(enoughMs: number, work: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < 10 && least >= enoughMs; i++) {
    const startedAt = performance.now();
    await work();
    least = Math.min(least, performance.now() - startedAt);
  }
  return least;
}

function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Some 50 ms on a quiet core. */
function knownWork(): void {
  let text = "";
  for (let n = 0; n < 1_000_000; n++) text += String.fromCharCode(32 + (n % 90));
  if (text.replaceAll("a", "bc").length < 1_000_000) throw new Error("Cannot count");
}
