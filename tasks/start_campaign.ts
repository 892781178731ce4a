import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { startScheduled } from "../src/sending/campaigns/status.ts";

/** Starts a campaign whose time has come. A second run finds it under way. */
export async function startCampaign(
  ctx: Context,
  { projectId, campaignId }: Jobs["start_campaign"],
): Promise<void> {
  await startScheduled(ctx, projectId, campaignId);
}
