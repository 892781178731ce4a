import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { deleteProject as remove } from "../src/removal/projects.ts";

/** Takes a deleted project apart, for some seconds. A second run goes on where the first one ended. */
export async function deleteProject(ctx: Context, job: Jobs["delete_project"]): Promise<void> {
  await remove(ctx, job);
}
