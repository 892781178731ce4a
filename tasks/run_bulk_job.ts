import { runBulkJob as run } from "../src/audience/bulk_jobs.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Subscribes, unsubscribes or deletes many contacts. A second run goes on where the first one ended. */
export async function runBulkJob(ctx: Context, { projectId, jobId }: Jobs["run_bulk_job"]): Promise<void> {
  await run(ctx, projectId, jobId);
}
