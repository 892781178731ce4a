// How many endpoints are called at once. Each holds a job, and somebody else's server decides for how long: they share half
// of the jobs of their lane, and those that were slow share half of that. So however many are slow, quick ones have places.

/** How many lines may be called at once, and of those how many slow ones. */
const LINES = 10;
const SLOW_LINES = 5;
/** One that takes longer on average is slow. */
const SLOW_MS = 1_000;
/** More are not remembered. */
const MAX_SLOW = 10_000;

/** Places of one process. */
export interface LinePlaces {
  /** Takes a place. False when there is none for a line like this. */
  enter(webhookId: string): boolean;
  /** Gives it back. */
  leave(webhookId: string): void;
  /** How long its latest calls took, in milliseconds. */
  note(webhookId: string, ms: number[]): void;
  isSlow(webhookId: string): boolean;
}

/** Places without anybody in them. */
export function newLinePlaces(): LinePlaces {
  /** By the job's line, whether it was slow when it entered. */
  const running: { webhookId: string; wasSlow: boolean }[] = [];
  const slow = new Set<string>();
  return {
    enter(webhookId) {
      const wasSlow = slow.has(webhookId);
      if (running.length >= LINES) return false;
      if (wasSlow && running.filter((line) => line.wasSlow).length >= SLOW_LINES) return false;
      running.push({ webhookId, wasSlow });
      return true;
    },
    leave(webhookId) {
      const index = running.findIndex((line) => line.webhookId === webhookId);
      if (index !== -1) running.splice(index, 1);
    },
    note(webhookId, ms) {
      if (ms.length === 0) return;
      const mean = ms.reduce((sum, one) => sum + one, 0) / ms.length;
      if (mean < SLOW_MS) slow.delete(webhookId);
      else slow.add(webhookId);
      if (slow.size > MAX_SLOW) slow.delete(slow.values().next().value!);
    },
    isSlow: (webhookId) => slow.has(webhookId),
  };
}
