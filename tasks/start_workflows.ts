import { startWorkflows as start } from "../src/automation/engine/mod.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Starts and wakes what events call for. A second run starts nothing again: the rule of re-entry and the waits are rows. */
export async function startWorkflows(ctx: Context, job: Jobs["start_workflows"]): Promise<void> {
  await start(ctx, job);
}
