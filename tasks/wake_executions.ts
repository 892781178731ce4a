import { wakeExecutions as wake } from "../src/automation/engine/mod.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Ends delays and timeouts that are over. A second run finds that they have ended. */
export async function wakeExecutions(ctx: Context, job: Jobs["wake_executions"]): Promise<void> {
  await wake(ctx, job);
}
