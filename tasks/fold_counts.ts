import { foldContactCounts } from "../src/audience/contact_counts.ts";
import { foldUsage } from "../src/accounts/usage.ts";
import type { Context } from "../src/context.ts";
import { foldCampaignCounts } from "../src/sending/campaigns.ts";
import { foldReputation } from "../src/sending/reputation.ts";
import { findReachedLimits } from "../src/sending/usage_notices.ts";

/** Folds the deltas of the counters. A second run finds none. */
export async function foldCounts(ctx: Context): Promise<void> {
  await foldContactCounts(ctx);
  await foldCampaignCounts(ctx);
  await foldReputation(ctx);
  await foldUsage(ctx);
  await findReachedLimits(ctx);
}
