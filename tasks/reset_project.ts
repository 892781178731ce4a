import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { resetProject as reset } from "../src/removal/projects.ts";

/** Takes away what a project held before its reset, for some seconds. A second run goes on where the first one ended. */
export async function resetProject(ctx: Context, job: Jobs["reset_project"]): Promise<void> {
  await reset(ctx, job);
}
