import { recheckWaits as recheck } from "../src/automation/runs/waits.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Finds the events that came to light after the beginning of a wait. A second run finds those that are left. */
export async function recheckWaits(ctx: Context, job: Jobs["recheck_waits"]): Promise<void> {
  await recheck(ctx, job);
}
