import { foldContactCounts } from "../src/audience/contact_counts.ts";
import type { Context } from "../src/context.ts";
import { foldCampaignCounts } from "../src/sending/campaigns.ts";
import { foldReputation } from "../src/sending/reputation.ts";

/** Folds the deltas of the counters. A second run finds none. */
export async function foldCounts(ctx: Context): Promise<void> {
  await foldContactCounts(ctx);
  await foldCampaignCounts(ctx);
  await foldReputation(ctx);
}
