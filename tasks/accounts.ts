import { syncBilling } from "../src/accounts/billing/events.ts";
import { reportUsage } from "../src/accounts/billing/usage_reports.ts";
import { sweepRemovals } from "../src/accounts/projects/removal.ts";
import type { Tasks } from "../src/jobs.ts";

/** The jobs of `src/accounts`. */
export const accountsTasks = {
  /** Reports usage to Stripe. A second run reports what the first one did not get to. */
  async report_usage(ctx) {
    await reportUsage(ctx);
  },
  /** Gives a job to every deletion and reset that has none. A second run finds that they have one. */
  sweep_removals: sweepRemovals,
  /** Reads at Stripe how the subscription of a project stands. A second run does the same again. */
  sync_billing: syncBilling,
} satisfies Partial<Tasks>;
