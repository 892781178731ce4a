import type { Context } from "../src/context.ts";
import { sweepCampaigns as sweep } from "../src/sending/campaigns/send.ts";

/** Finds campaigns that stand still, and those that are done. A second run finds what the first one did under way. */
export async function sweepCampaigns(ctx: Context): Promise<void> {
  await sweep(ctx);
}
