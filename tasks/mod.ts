import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { auditCounts } from "./audit_counts.ts";
import { callStepWebhook } from "./call_webhook.ts";
import { checkDomains } from "./check_domains.ts";
import { deleteEvents } from "./delete_events.ts";
import { deleteProject } from "./delete_project.ts";
import { dropExpired } from "./drop_expired.ts";
import { foldCounts } from "./fold_counts.ts";
import { freezeAudience } from "./freeze_audience.ts";
import { importContacts } from "./import_contacts.ts";
import { judgeReputation } from "./judge_reputation.ts";
import { makePartitions } from "./make_partitions.ts";
import { purgeExpired } from "./purge_expired.ts";
import { recheckWaits } from "./recheck_waits.ts";
import { recountCounts } from "./recount_counts.ts";
import { recountSegments } from "./recount_segments.ts";
import { resetProject } from "./reset_project.ts";
import { reportUsage } from "./report_usage.ts";
import { runBulkJob } from "./run_bulk_job.ts";
import { runExecutions } from "./run_executions.ts";
import { sendBatch } from "./send_batch.ts";
import { sendDepartureMail } from "./send_departure_mail.ts";
import { sendEmails } from "./send_emails.ts";
import { sendOwnerMail } from "./send_owner_mail.ts";
import { sendPlatformMail } from "./send_platform_mail.ts";
import { sendResetMail } from "./send_reset_mail.ts";
import { sendVerificationMail } from "./send_verification_mail.ts";
import { settleDoubts } from "./settle_doubts.ts";
import { startCampaign } from "./start_campaign.ts";
import { startScheduledRun } from "./start_scheduled_run.ts";
import { startScheduledWorkflows } from "./start_scheduled_workflows.ts";
import { startWorkflows } from "./start_workflows.ts";
import { suppressCampaign } from "./suppress_campaign.ts";
import { sweepCampaigns } from "./sweep_campaigns.ts";
import { sweepEmails } from "./sweep_emails.ts";
import { sweepExecutions } from "./sweep_executions.ts";
import { sweepProjectSegments } from "./sweep_project_segments.ts";
import { sweepRemovals } from "./sweep_removals.ts";
import { sweepSegments } from "./sweep_segments.ts";
import { syncBilling } from "./sync_billing.ts";
import { updateSegments } from "./update_segments.ts";
import { warnOfLimit } from "./warn_of_limit.ts";
import { wakeExecutions } from "./wake_executions.ts";
import { wakeSegments } from "./wake_segments.ts";

/** A task for each job. */
export type Tasks = { [Name in keyof Jobs]: (ctx: Context, payload: Jobs[Name]) => Promise<void> };

/** Every job of the service. A job without a task, or a task without a job, does not compile. */
export const tasks: Tasks = {
  audit_counts: auditCounts,
  call_webhook: callStepWebhook,
  check_domains: checkDomains,
  delete_events: deleteEvents,
  delete_project: deleteProject,
  drop_expired: dropExpired,
  fold_counts: foldCounts,
  freeze_audience: freezeAudience,
  import_contacts: importContacts,
  judge_reputation: judgeReputation,
  make_partitions: makePartitions,
  purge_expired: purgeExpired,
  recheck_waits: recheckWaits,
  recount_counts: recountCounts,
  recount_segments: recountSegments,
  reset_project: resetProject,
  report_usage: reportUsage,
  run_bulk_job: runBulkJob,
  run_executions: runExecutions,
  send_batch: sendBatch,
  send_departure_mail: sendDepartureMail,
  send_emails: sendEmails,
  send_owner_mail: sendOwnerMail,
  send_platform_mail: sendPlatformMail,
  send_reset_mail: sendResetMail,
  send_verification_mail: sendVerificationMail,
  settle_doubts: settleDoubts,
  start_campaign: startCampaign,
  start_scheduled_run: startScheduledRun,
  start_scheduled_workflows: startScheduledWorkflows,
  start_workflows: startWorkflows,
  suppress_campaign: suppressCampaign,
  sweep_campaigns: sweepCampaigns,
  sweep_emails: sweepEmails,
  sweep_executions: sweepExecutions,
  sweep_project_segments: sweepProjectSegments,
  sweep_removals: sweepRemovals,
  sweep_segments: sweepSegments,
  sync_billing: syncBilling,
  update_segments: updateSegments,
  warn_of_limit: warnOfLimit,
  wake_executions: wakeExecutions,
  wake_segments: wakeSegments,
};

/** When what is run by the clock is run. */
export const CRONTAB = new URL("./crontab", import.meta.url).pathname;
