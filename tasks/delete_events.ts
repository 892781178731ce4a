import type { Context } from "../src/context.ts";
import { runEventDeletion } from "../src/insight/events/deletion.ts";
import type { Jobs } from "../src/jobs.ts";

/** Deletes all events of a name that were recorded before. A second run goes on where the first one ended. */
export async function deleteEvents(ctx: Context, job: Jobs["delete_events"]): Promise<void> {
  await runEventDeletion(ctx, job);
}
