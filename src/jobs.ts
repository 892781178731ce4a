import type { Context } from "./context.ts";
import { q } from "./db/queries.ts";

/** Every job and its payload. The key is the name of a file in `tasks/`. A payload holds ids, never copies of rows. */
export interface Jobs {
  audit_counts: {
    /** Left out: of every project, each by a job of its own. */
    projectId?: string;
  };
  call_webhook: { projectId: string; executionId: string; stepExecutionId: string };
  check_domains: Record<string, never>;
  delete_events: {
    projectId: string;
    name: string;
    /** Events after this one stay. */
    upTo: string;
    /** The event behind which it goes on; left out: at the first one. */
    after?: string;
  };
  delete_project: {
    projectId: string;
    /** The place where it goes on; left out: at the beginning. */
    step?: string | undefined;
    after?: string | undefined;
    /** The lower, the sooner it gets its turn; left out: last. */
    turn?: number | undefined;
  };
  drop_expired: Record<string, never>;
  fold_counts: Record<string, never>;
  freeze_audience: { projectId: string; campaignId: string };
  import_contacts: { projectId: string; importId: string };
  judge_reputation: { projectId: string };
  make_partitions: Record<string, never>;
  purge_expired: Record<string, never>;
  reset_project: {
    projectId: string;
    step?: string | undefined;
    after?: string | undefined;
    /** Which reset the place belongs to, and whether something was found since it was begun from the first table. */
    version?: string;
    found?: boolean;
    turn?: number | undefined;
  };
  report_usage: Record<string, never>;
  recheck_waits: {
    projectId: string;
    executionIds: string[];
    /** Which look that is. */
    looks?: number;
    /** As long as a transaction is under way that began to write before this one, an event may come to light. */
    before?: string;
  };
  run_bulk_job: { projectId: string; jobId: string };
  recount_counts: { projectId: string };
  recount_segments: { projectId: string; segmentIds: string[] };
  run_executions: {
    projectId: string;
    executionIds: string[];
    /** Something in a batch with them could not be done: each is run by itself, step by step. */
    alone?: boolean;
  };
  send_batch: {
    projectId: string;
    campaignId: string;
    fromId: string;
    toId: string;
    /** As urgent as the batch was when it was made: the first ones of every campaign come first. */
    priority?: number;
    /** It has waited for its place in the line of a rate. */
    inLine?: boolean;
  };
  send_departure_mail: { projectId: string; email: string; owned: boolean };
  send_emails: { projectId: string; emailIds: string[] };
  send_owner_mail: { userId: string; projectIds: string[] };
  send_platform_mail: { mailId: string };
  /** The address that somebody has typed: whether it has an account must not show before. */
  send_reset_mail: { email: string };
  send_verification_mail: { email: string };
  settle_doubts: Record<string, never>;
  start_campaign: { projectId: string; campaignId: string };
  start_scheduled_run: { projectId: string; runId: string };
  start_scheduled_workflows: Record<string, never>;
  start_workflows: { projectId: string; eventIds: string[]; depth: number };
  suppress_campaign: { projectId: string; campaignId: string };
  sweep_campaigns: Record<string, never>;
  sweep_emails: Record<string, never>;
  sweep_executions: Record<string, never>;
  sweep_project_segments: { projectId: string };
  sweep_removals: Record<string, never>;
  sweep_segments: Record<string, never>;
  sync_billing: { projectId: string };
  update_segments: { projectId: string };
  warn_of_limit: { projectId: string; category: "workflows" | "campaigns" | "transactional" | "inbound" };
  wake_executions: {
    projectId: string;
    executionIds: string[];
    /** Of a timer: nothing that is due after it is ended by it. */
    at?: string;
  };
  wake_segments: Record<string, never>;
}

/** Where jobs queue up. Work of one lane never waits for work of another. */
export type Lane = (typeof LANE_NAMES)[number];

/** All lanes. */
export const LANE_NAMES = ["fast", "workflows", "bulk"] as const;

/** The lane of each job: neither workflows nor bulk work hold a transactional mail back. */
export const LANES: { readonly [Name in keyof Jobs]: Lane } = {
  audit_counts: "bulk",
  call_webhook: "fast",
  check_domains: "bulk",
  delete_events: "bulk",
  delete_project: "bulk",
  drop_expired: "bulk",
  fold_counts: "bulk",
  freeze_audience: "bulk",
  import_contacts: "bulk",
  judge_reputation: "fast",
  make_partitions: "bulk",
  purge_expired: "bulk",
  reset_project: "bulk",
  report_usage: "bulk",
  recheck_waits: "workflows",
  run_bulk_job: "bulk",
  recount_counts: "bulk",
  recount_segments: "bulk",
  run_executions: "workflows",
  send_batch: "bulk",
  send_emails: "fast",
  send_departure_mail: "fast",
  send_owner_mail: "fast",
  send_platform_mail: "fast",
  send_reset_mail: "fast",
  send_verification_mail: "fast",
  settle_doubts: "bulk",
  start_campaign: "fast",
  start_scheduled_run: "bulk",
  start_scheduled_workflows: "bulk",
  start_workflows: "workflows",
  suppress_campaign: "bulk",
  sweep_campaigns: "bulk",
  sweep_emails: "bulk",
  sweep_executions: "bulk",
  sweep_project_segments: "bulk",
  sweep_removals: "bulk",
  sweep_segments: "bulk",
  sync_billing: "fast",
  update_segments: "fast",
  warn_of_limit: "fast",
  wake_executions: "workflows",
  wake_segments: "bulk",
};

/** Enqueues one job per payload in the transaction of `tx`, in one statement: they exist if and only if it commits. */
export async function addJobs<Name extends keyof Jobs>(
  tx: Context,
  name: Name,
  payloads: Jobs[Name][],
  { priority = null }: Pick<JobOptions, "priority"> = {},
): Promise<void> {
  if (payloads.length === 0) return;
  await q.jobs.addMany(tx, { task: name, payloads, priority: priority ?? priorityOf(name) });
}

/** When a job is due, and what tells it from others. */
export interface JobOptions {
  runAt?: Date | null;
  /** A job with the same key that still waits is replaced. */
  key?: string | null;
  /** The lower, the sooner; left out: what is usual for the job. */
  priority?: number | null;
}

/** Enqueues one job for later in the transaction of `tx`. */
export async function addJob<Name extends keyof Jobs>(
  tx: Context,
  name: Name,
  payload: Jobs[Name],
  { runAt = null, key = null, priority = null }: JobOptions = {},
): Promise<void> {
  await q.jobs.add(tx, {
    task: name,
    payload,
    runAt,
    maxAttempts: null,
    key,
    priority: priority ?? priorityOf(name),
  });
}

/** Campaigns come after all other work of their lane; among them, who has sent less comes first. */
function priorityOf(name: keyof Jobs): number | null {
  return name === "send_batch" ? 10 : null;
}
