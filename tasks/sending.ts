import {
  snapshotAudience,
  sendBatch,
  suppressCampaign,
  sweepCampaigns,
} from "../src/sending/campaigns/send.ts";
import { startScheduled } from "../src/sending/campaigns/status.ts";
import { reachesMailServer, sendSingle } from "../src/sending/delivery/mod.ts";
import { settleDoubts, sweepEmails } from "../src/sending/delivery/recovery.ts";
import { enqueueDue } from "../src/sending/delivery/scheduled.ts";
import { checkDueDomains } from "../src/sending/domains/checks.ts";
import { judgeReputation } from "../src/sending/feedback/reputation.ts";
import { reportSimulated } from "../src/sending/feedback/simulated.ts";
import { sendOwnerMail, sendResetMail, sendVerificationMail } from "../src/sending/platform/account_mails.ts";
import { sendAccountNotice, sendEmailChangeMail } from "../src/sending/platform/account_notices.ts";
import { sendDepartureMail } from "../src/sending/platform/departure_mail.ts";
import { deliverPlatformMail } from "../src/sending/platform/mod.ts";
import { warnOfLimit } from "../src/sending/platform/usage_notices.ts";
import type { Tasks } from "../src/jobs.ts";

/** The jobs of `src/sending`. */
export const sendingTasks = {
  /** Looks up the domains that are due. A second run finds none of them, because the first moved their time. */
  check_domains: checkDueDomains,
  /** Turns the audience of a campaign into mails. A second run continues where the first one ended. */
  async snapshot_audience(ctx, { projectId, campaignId }) {
    await snapshotAudience(ctx, projectId, campaignId);
  },
  /** Does what follows from the bounces and complaints of a project. A second run finds that it was done. */
  async judge_reputation(ctx, { projectId }) {
    await judgeReputation(ctx, projectId);
  },
  /** Reports what the simulator of a sandbox makes of a mail. A second run changes nothing, but counts an open once more. */
  report_simulated: reportSimulated,
  /** Sends the mails of one range of a campaign. A second run sends what the first one left. */
  send_batch: sendBatch,
  /** Tells those of a project that an account which looked after it was removed. A second run sends the mails again. */
  async send_departure_mail(ctx, { projectId, email, owned }) {
    await sendDepartureMail(ctx, projectId, { email, owned });
  },
  /** Sends mails of the ledger. A second run finds nothing to claim and sends nothing. */
  send_emails: sendSingle,
  /** Tells somebody what was changed about their account. A second run sends the mail again. */
  send_account_notice: sendAccountNotice,
  /** Asks whether a new address is theirs. A second run sends another mail; the link of the first is void. */
  async send_email_change_mail(ctx, { userId, email }) {
    await sendEmailChangeMail(ctx, userId, email);
  },
  /** Tells the owner of an address what others may have left in the account. A second run sends the mail again. */
  async send_owner_mail(ctx, { userId, projectIds }) {
    await sendOwnerMail(ctx, userId, projectIds);
  },
  /** Sends a mail of the installation. A second run sends nothing. */
  async send_platform_mail(ctx, { mailId }) {
    await deliverPlatformMail(ctx, mailId);
  },
  /** Sends a way to a new password. A second run sends another mail, whose link is as good. */
  async send_reset_mail(ctx, { email }) {
    await sendResetMail(ctx, email);
  },
  /** Asks whether an address is theirs. A second run sends another mail, whose link is as good. */
  async send_verification_mail(ctx, { email }) {
    await sendVerificationMail(ctx, email);
  },
  /** Settles mails that have been in doubt for long enough. A second run finds none. */
  settle_doubts: settleDoubts,
  /** Starts a campaign whose time has come. A second run finds it in progress. */
  async start_campaign(ctx, { projectId, campaignId }) {
    await startScheduled(ctx, projectId, campaignId);
  },
  /** Closes the mails of a cancelled campaign that were not sent. A second run finds none. */
  async suppress_campaign(ctx, { projectId, campaignId }) {
    await suppressCampaign(ctx, projectId, campaignId);
  },
  /** Finds campaigns that are stuck, and those that are done. A second run finds what the first one did in progress. */
  sweep_campaigns: sweepCampaigns,
  /** Finds mails that are due and have no job. A second run finds none, because the first moved their time. */
  async sweep_emails(ctx) {
    // While no process reaches the mail server a job would be dropped at once; the first to reach it again wakes all.
    await sweepEmails(ctx, { requeues: reachesMailServer(ctx) });
  },
  /** Gives jobs to scheduled mails that are due soon. A second run finds none of them. */
  enqueue_scheduled: enqueueDue,
  /** Tells members that a limit of their project is nearly or wholly used. A second run finds that they were told. */
  async warn_of_limit(ctx, job) {
    await warnOfLimit(ctx, job.projectId, job.category);
  },
} satisfies Partial<Tasks>;
