import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { judgeReputation as judge } from "../src/sending/feedback/reputation.ts";

/** Does what follows from the bounces and complaints of a project. A second run finds that it was done. */
export async function judgeReputation(ctx: Context, { projectId }: Jobs["judge_reputation"]): Promise<void> {
  await judge(ctx, projectId);
}
