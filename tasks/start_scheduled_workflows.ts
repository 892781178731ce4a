import { startScheduledWorkflows as start } from "../src/automation/engine/schedule.ts";
import type { Context } from "../src/context.ts";

/** Begins the workflows whose time has come. A second run finds the next time in its place. */
export async function startScheduledWorkflows(ctx: Context): Promise<void> {
  await start(ctx);
}
