import { purgeTokens } from "../src/accounts/people/tokens.ts";
import { purgeDailyCounts } from "../src/accounts/daily_limits.ts";
import { purgeIdempotencyKeys } from "../src/accounts/idempotency.ts";
import { purgeInvitations } from "../src/accounts/projects/invitations.ts";
import { purgeOauthCallbacks } from "../src/accounts/people/oauth.ts";
import { purgeUserRates } from "../src/accounts/limits.ts";
import { purgeFailures } from "../src/accounts/people/login_limits.ts";
import { purgeSessions } from "../src/accounts/people/sessions.ts";
import { purgeReceipts } from "../src/accounts/webhook_receipts.ts";
import { purgeVersions } from "../src/automation/workflows/versions.ts";
import type { Context } from "../src/context.ts";
import { purgePlatformMails } from "../src/sending/platform/mod.ts";

/** Deletes what has expired. A second run deletes nothing. */
export async function purgeExpired(ctx: Context): Promise<void> {
  await purgeDailyCounts(ctx);
  await purgeIdempotencyKeys(ctx);
  await purgeInvitations(ctx);
  await purgeOauthCallbacks(ctx);
  await purgeReceipts(ctx);
  await purgeSessions(ctx);
  await purgeTokens(ctx);
  await purgeUserRates(ctx);
  await purgeFailures(ctx);
  await purgePlatformMails(ctx);
  await purgeVersions(ctx);
}
