// How many of something may be under way at a time: of one project, and of all, in this process.
import type { Context } from "../../context.ts";
import { problems } from "../../problem.ts";

/**
 * Lets one more through for a project, and returns what to call when it is over; more than once does no harm. Throws 429
 * while too many of the project are under way, and 503 while too many are in all. `task` completes "Cannot … now".
 */
export function createTurnstile(
  task: string,
  { ofProject, ofAll }: { ofProject: number; ofAll: number },
): (ctx: Context, projectId: string) => () => void {
  const running = new WeakMap<Context, Map<string, number>>();
  return (ctx, projectId) => {
    const counts = running.get(ctx) ?? new Map<string, number>();
    running.set(ctx, counts);
    const own = counts.get(projectId) ?? 0;
    if (own >= ofProject) throw problems.busy(task, "of yours");
    if (counts.values().reduce((sum, count) => sum + count, 0) >= ofAll) throw problems.busy(task);
    counts.set(projectId, own + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const left = counts.get(projectId)! - 1;
      if (left === 0) counts.delete(projectId);
      else counts.set(projectId, left);
    };
  };
}
