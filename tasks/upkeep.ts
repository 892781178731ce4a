// What keeps the tables of all modules in order.
import { rollUpUsage } from "../src/accounts/billing/usage.ts";
import { purgeDailyCounts } from "../src/accounts/daily_limits.ts";
import { purgeIdempotencyKeys } from "../src/accounts/idempotency.ts";
import { purgeUserRates } from "../src/accounts/limits.ts";
import { purgeFailures } from "../src/accounts/people/login_limits.ts";
import { purgeChallenges } from "../src/accounts/people/admission.ts";
import { purgePasskeyAnswers } from "../src/accounts/people/factors/passkeys.ts";
import { purgeOauthCallbacks } from "../src/accounts/people/oauth/mod.ts";
import { purgeSessions } from "../src/accounts/people/sessions.ts";
import { purgeTokens } from "../src/accounts/people/tokens.ts";
import { purgeInvitations } from "../src/accounts/projects/invitations.ts";
import { purgeReceipts } from "../src/accounts/webhook_receipts.ts";
import { purgeImports } from "../src/audience/contacts/imports.ts";
import { rollUpContactCounts } from "../src/audience/contacts/counts.ts";
import { purgeVersions } from "../src/automation/workflows/versions.ts";
import { rollUpStepCounts } from "../src/automation/workflows/statistics.ts";
import { rollUpEventCounts } from "../src/insight/counts/events.ts";
import { rollUpExecutionCounts } from "../src/insight/counts/executions.ts";
import { rollUpDeliveryFigures } from "../src/insight/deliverability/figures.ts";
import { rollUpMailCounts } from "../src/insight/counts/mails.ts";
import { addJob, type Tasks } from "../src/jobs.ts";
import { purgeMoves } from "../src/moving/moves.ts";
import { rollUpCampaignLinks } from "../src/sending/campaigns/outcomes.ts";
import { rollUpCampaignCounts } from "../src/sending/campaigns/mod.ts";
import { rollUpReputation } from "../src/sending/feedback/reputation.ts";
import { purgeTransportDays } from "../src/sending/transports/holds.ts";
import { purgePlatformMails } from "../src/sending/platform/mod.ts";
import { findReachedLimits } from "../src/sending/platform/usage_notices.ts";

const PAUSE_MS = 3_000;

/** The jobs that concern several modules. */
export const upkeepTasks = {
  /**
   * Rolls up the deltas of the counters, and again some seconds later as long as there are any; the crontab restarts it
   * every minute. A second run finds none.
   */
  async roll_up_counts(ctx) {
    const found = [
      await rollUpContactCounts(ctx),
      await rollUpCampaignCounts(ctx),
      await rollUpCampaignLinks(ctx),
      await rollUpReputation(ctx),
      await rollUpUsage(ctx),
      await rollUpMailCounts(ctx),
      await rollUpDeliveryFigures(ctx),
      await rollUpEventCounts(ctx),
      await rollUpExecutionCounts(ctx),
      await rollUpStepCounts(ctx),
    ];
    await findReachedLimits(ctx);
    if (!found.includes(true)) return;
    const runAt = new Date(ctx.now().getTime() + PAUSE_MS);
    await addJob(ctx, "roll_up_counts", {}, { runAt, key: "roll_up_counts" });
  },
  /** Deletes what has expired. A second run deletes nothing. */
  async purge_expired(ctx) {
    await purgeDailyCounts(ctx);
    await purgeIdempotencyKeys(ctx);
    await purgeImports(ctx);
    await purgeInvitations(ctx);
    await purgeMoves(ctx);
    await purgeOauthCallbacks(ctx);
    await purgeReceipts(ctx);
    await purgeTransportDays(ctx);
    await purgeSessions(ctx);
    await purgeTokens(ctx);
    await purgeChallenges(ctx);
    await purgePasskeyAnswers(ctx);
    await purgeUserRates(ctx);
    await purgeFailures(ctx);
    await purgePlatformMails(ctx);
    await purgeVersions(ctx);
  },
} satisfies Partial<Tasks>;
