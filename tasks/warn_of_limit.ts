import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { warnOfLimit as warn } from "../src/sending/platform/usage_notices.ts";

/** Tells members that a limit of their project is nearly or wholly used. A second run finds that they were told. */
export async function warnOfLimit(ctx: Context, job: Jobs["warn_of_limit"]): Promise<void> {
  await warn(ctx, job.projectId, job.category);
}
