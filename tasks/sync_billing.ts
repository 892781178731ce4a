import { syncBilling as sync } from "../src/accounts/billing/events.ts";
import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";

/** Reads at Stripe how the subscription of a project stands. A second run does the same again. */
export async function syncBilling(ctx: Context, job: Jobs["sync_billing"]): Promise<void> {
  await sync(ctx, job);
}
