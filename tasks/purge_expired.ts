import { purgeTokens } from "../src/accounts/account_tokens.ts";
import { purgeDailyCounts } from "../src/accounts/daily_limits.ts";
import { purgeIdempotencyKeys } from "../src/accounts/idempotency.ts";
import { purgeInvitations } from "../src/accounts/invitations.ts";
import { purgeOauthCallbacks } from "../src/accounts/oauth.ts";
import { purgeUserRates } from "../src/accounts/limits.ts";
import { purgeFailures } from "../src/accounts/login_limits.ts";
import { purgeSessions } from "../src/accounts/sessions.ts";
import { purgeReceipts } from "../src/accounts/webhook_receipts.ts";
import { purgeVersions } from "../src/automation/workflow_versions.ts";
import type { Context } from "../src/context.ts";
import { purgePlatformMails } from "../src/sending/platform_mail.ts";

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
