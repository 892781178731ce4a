import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { freezeAudience as freeze } from "../src/sending/campaigns/send.ts";

/** Turns the audience of a campaign into mails. A second run goes on where the first one ended. */
export async function freezeAudience(
  ctx: Context,
  { projectId, campaignId }: Jobs["freeze_audience"],
): Promise<void> {
  await freeze(ctx, projectId, campaignId);
}
