import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { suppressCampaign as suppress } from "../src/sending/campaigns/send.ts";

/** Closes the mails of a cancelled campaign that were not sent. A second run finds none. */
export async function suppressCampaign(
  ctx: Context,
  { projectId, campaignId }: Jobs["suppress_campaign"],
): Promise<void> {
  await suppress(ctx, projectId, campaignId);
}
