// How many of something may be in progress at a time: of one project, and of all, in this process.
import type { Context } from "../../context.ts";
import { type Problem, problems } from "../../problem/mod.ts";

interface Limits {
  /** Of one project, or whatever else the key names. */
  ofOne: number;
  ofAll: number;
  /** The 429, in words of its own. */
  refusal?(): Problem;
}

/**
 * Lets one more through for a project, and returns what to call when it is over; more than once does no harm. Throws 429
 * while too many of the project are in progress, and 503 while too many are in all. `task` completes "Cannot … now".
 */
export function createTurnstile(
  task: string,
  { ofOne, ofAll, refusal = () => problems.busy(task, "of yours") }: Limits,
): (ctx: Context, key: string) => () => void {
  const running = new WeakMap<Context, Map<string, number>>();
  return (ctx, key) => {
    const counts = running.get(ctx) ?? new Map<string, number>();
    running.set(ctx, counts);
    const own = counts.get(key) ?? 0;
    if (own >= ofOne) throw refusal();
    if (counts.values().reduce((sum, count) => sum + count, 0) >= ofAll) throw problems.busy(task);
    counts.set(key, own + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const left = counts.get(key)! - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    };
  };
}
