import { foldUsage } from "../src/accounts/billing/usage.ts";
import { foldContactCounts } from "../src/audience/contacts/counts.ts";
import type { Context } from "../src/context.ts";
import { foldEventCounts } from "../src/insight/counts/events.ts";
import { foldExecutionCounts } from "../src/insight/counts/executions.ts";
import { foldMailCounts } from "../src/insight/counts/mails.ts";
import { addJob } from "../src/jobs.ts";
import { foldCampaignCounts } from "../src/sending/campaigns/mod.ts";
import { foldReputation } from "../src/sending/feedback/reputation.ts";
import { findReachedLimits } from "../src/sending/platform/usage_notices.ts";

const PAUSE_MS = 3_000;

/**
 * Folds the deltas of the counters, and again some seconds later as long as there are any; the crontab begins anew every
 * minute. A second run finds none.
 */
export async function foldCounts(ctx: Context): Promise<void> {
  const found = [
    await foldContactCounts(ctx),
    await foldCampaignCounts(ctx),
    await foldReputation(ctx),
    await foldUsage(ctx),
    await foldMailCounts(ctx),
    await foldEventCounts(ctx),
    await foldExecutionCounts(ctx),
  ];
  await findReachedLimits(ctx);
  if (!found.includes(true)) return;
  const runAt = new Date(ctx.now().getTime() + PAUSE_MS);
  await addJob(ctx, "fold_counts", {}, { runAt, key: "fold_counts" });
}
