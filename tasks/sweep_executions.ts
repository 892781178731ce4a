import { sweepExecutions as sweep } from "../src/automation/engine/recovery.ts";
import type { Context } from "../src/context.ts";

/** Finds executions that should go on and have no job. A second run finds what the first one has not set going yet. */
export async function sweepExecutions(ctx: Context): Promise<void> {
  await sweep(ctx);
}
