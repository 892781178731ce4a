import { runExecutions as run } from "../src/automation/engine/mod.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Takes executions as far as they can go. A second run goes on where the first one came to. */
export async function runExecutions(ctx: Context, job: Jobs["run_executions"]): Promise<void> {
  await run(ctx, job);
}
