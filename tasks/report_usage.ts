import { reportUsage as report } from "../src/accounts/billing/usage_reports.ts";
import type { Context } from "../src/context.ts";

/** Tells Stripe what was used. A second run tells what the first one did not come to. */
export async function reportUsage(ctx: Context): Promise<void> {
  await report(ctx);
}
