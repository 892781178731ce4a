import { updateSegments as run } from "../src/audience/segments/upkeep.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Looks at the contacts of a project that changed. A second run finds none. */
export async function updateSegments(ctx: Context, { projectId }: Jobs["update_segments"]): Promise<void> {
  await run(ctx, projectId);
}
