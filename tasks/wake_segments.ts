import { wakeSegments as wake } from "../src/audience/segments/upkeep.ts";
import type { Context } from "../src/context.ts";

/** Enqueues the look at contacts that a job has missed. A second run adds jobs that find none. */
export async function wakeSegments(ctx: Context): Promise<void> {
  await wake(ctx);
}
