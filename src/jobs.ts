import type { AccountNotice } from "./account_notice.ts";
import type { Context } from "./context.ts";
import { q } from "./db/queries.ts";
import { type Job, job } from "./job_kinds.ts";
import type { Simulated } from "./mail/simulator.ts";
import { contextNow, traceparentOf, tracer } from "./tracing.ts";

/** Removals take turns: the first ones that people ask for on a day come before the tenth of somebody. */
const LAST_REMOVAL = 9;

/** Every job. Its implementation is in `tasks/`, under the same name. */
export const JOBS = {
  /** Compares the counters of a project with the facts, or has it done for all. */
  audit_counts: job<
    {
      /** Left out: of every project, each by a job of its own. */
      projectId?: string;
    },
    "nightly"
  >("bulk", {
    // Behind everything that somebody waits for.
    variants: { nightly: 20 },
  }),
  /** Calls the webhook of a step once. */
  call_webhook: job<{ projectId: string; executionId: string; stepExecutionId: string }>("fast"),
  /** Calls an endpoint with what waits for it, for some seconds. */
  deliver_webhooks: job<{ projectId: string; webhookId: string }>("workflows"),
  /** Deletes the deliveries of an endpoint that was deleted. */
  drop_deliveries: job<{ projectId: string; webhookId: string }>("bulk"),
  /** Turns what happened into messages for the endpoints that want to know. */
  fan_out_webhooks: job("workflows"),
  /** Finds endpoints that should be called and have no job, and what was not fanned out. */
  sweep_webhooks: job("workflows"),
  /** Finds sender domains whose rates get worse, or are good again. */
  judge_deliverability: job("bulk"),
  /** Tells owners and admins of alerts that are new. */
  tell_deliverability_alerts: job<{ projectId: string }>("bulk"),
  /** Looks up the domains that are due. */
  check_domains: job("bulk"),
  /** Deletes all events of a name that were recorded before. */
  delete_events: job<{
    projectId: string;
    name: string;
    /** Events after this one stay. */
    upTo: string;
    /** The event behind which it continues; left out: at the first one. */
    after?: string;
  }>("bulk"),
  /** Takes a deleted project apart, for some seconds. */
  delete_project: job<{
    projectId: string;
    /** The place where it continues; left out: at the beginning. */
    step?: string | undefined;
    after?: string | undefined;
    /** The lower, the sooner it gets its turn; left out: last. */
    turn?: number | undefined;
  }>("bulk", { last: LAST_REMOVAL }),
  /** Takes in what another service has, or looks what that would be, for some seconds. */
  run_move: job<{ projectId: string; moveId: string }>("bulk"),
  /** Deletes what is older than it has to be kept, and continues as a new job while there is more. */
  drop_expired: job("bulk"),
  /** Rolls up the deltas of the counters every minute, and again some seconds later as long as there are any. */
  roll_up_counts: job("bulk"),
  /** Turns the audience of a campaign into mails. */
  snapshot_audience: job<{ projectId: string; campaignId: string }>("bulk"),
  /** Undoes the import of a file of contacts. */
  undo_import: job<{ projectId: string; importId: string }>("bulk"),
  /** Imports a file of contacts. */
  import_contacts: job<{ projectId: string; importId: string }>("bulk"),
  /** Does what follows from the bounces and complaints of a project. */
  judge_reputation: job<{ projectId: string }>("fast"),
  /** Notes how many members each segment has on this day. */
  note_segment_sizes: job("bulk"),
  /** Makes the partitions that are missing. */
  make_partitions: job("bulk"),
  /** Deletes what has expired. */
  purge_expired: job("bulk"),
  /** Takes away what a project held before its reset, for some seconds. */
  reset_project: job<{
    projectId: string;
    step?: string | undefined;
    after?: string | undefined;
    /** Which reset the place belongs to, and whether something was found since it was begun from the first table. */
    version?: string;
    found?: boolean;
    turn?: number | undefined;
  }>("bulk", { last: LAST_REMOVAL }),
  /** Reports usage to Stripe. */
  report_usage: job("bulk"),
  /** Finds the events that became visible after the beginning of a wait. */
  recheck_waits: job<{
    projectId: string;
    executionIds: string[];
    /** Which look that is. */
    looks?: number;
    /** As long as a transaction is in progress that began to write before this one, an event may become visible. */
    before?: string;
  }>("workflows"),
  /** Subscribes, unsubscribes or deletes many contacts. */
  run_bulk_job: job<{ projectId: string; jobId: string }>("bulk"),
  /** Makes the counters of a project equal what a reset has left. */
  recount_counts: job<{ projectId: string }>("bulk"),
  /** Reports what the simulator of a sandbox makes of a mail. */
  report_simulated: job<{ projectId: string; emailId: string; outcome: Simulated }>("fast"),
  /** Recounts the members of segments. */
  recount_segments: job<{ projectId: string; segmentIds: string[] }>("bulk"),
  /** Advances executions as far as possible. */
  run_executions: job<
    {
      projectId: string;
      executionIds: string[];
      /** A batch with them failed: each is run by itself, step by step. */
      alone?: boolean;
    },
    "patient"
  >("workflows", {
    // Of very many executions: what somebody waits for now comes first.
    variants: { patient: 10 },
  }),
  /** Sends the mails of one range of a campaign. */
  send_batch: job<{
    projectId: string;
    campaignId: string;
    fromId: string;
    toId: string;
    /** These of the range alone: mails that are tried again lie far apart. */
    emailIds?: string[];
    /** As urgent as the batch was when it was made: the first ones of every campaign come first. */
    priority?: number;
    /** It has waited for its place in the line of a rate. */
    inLine?: boolean;
  }>("bulk", { priority: 10, last: 32_000 }),
  /** Tells somebody what was changed about how they log in. */
  send_account_notice: job<AccountNotice>("fast"),
  /** Tells those of a project that an account which looked after it was removed. */
  send_departure_mail: job<{ projectId: string; email: string; owned: boolean }>("fast"),
  /** Asks whether a new address is theirs. Whether it has an account must not show before. */
  send_email_change_mail: job<{ userId: string; email: string }>("fast"),
  /** Sends mails of the ledger. */
  send_emails: job<
    {
      projectId: string;
      emailIds: string[];
      /** The spans that accepted them, by their ids, where these are recorded. */
      traces?: Record<string, string>;
    },
    "workflow"
  >("fast", {
    last: 30_000,
    // Behind transactional mail, and before campaigns, which have a lane of their own.
    variants: { workflow: 5 },
  }),
  /** Tells the owner of an address what others may have left in the account. */
  send_owner_mail: job<{ userId: string; projectIds: string[] }>("fast"),
  /** Sends a mail of the installation. */
  send_platform_mail: job<{ mailId: string }>("fast"),
  /** Sends a way to a new password. The address that somebody has typed: whether it has an account must not show before. */
  send_reset_mail: job<{ email: string }>("fast"),
  /** Asks whether an address is theirs. */
  send_verification_mail: job<{ email: string }>("fast"),
  /** Settles mails that have been in doubt for long enough. */
  settle_doubts: job("bulk"),
  /** Starts a campaign whose time has come. */
  start_campaign: job<{ projectId: string; campaignId: string }>("fast"),
  /** Starts a workflow for its audience, range by range. */
  start_scheduled_run: job<{ projectId: string; runId: string }>("bulk"),
  /** Begins the workflows whose time has come. */
  start_scheduled_workflows: job("bulk"),
  /** Starts and wakes what events call for. */
  start_workflows: job<{ projectId: string; eventIds: string[]; depth: number }>("workflows"),
  /** Closes the mails of a cancelled campaign that were not sent. */
  suppress_campaign: job<{ projectId: string; campaignId: string }>("bulk"),
  /** Finds campaigns that are stuck, and those that are done. */
  sweep_campaigns: job("bulk"),
  /** Finds mails that are due and have no job. */
  sweep_emails: job("bulk"),
  /** Gives jobs to scheduled mails that are due soon. */
  enqueue_scheduled: job("fast"),
  /** Finds executions that should continue and have no job. */
  sweep_executions: job("bulk"),
  /** Brings the tracked segments of one project up to date. */
  sweep_project_segments: job<{ projectId: string }>("bulk"),
  /** Gives a job to every deletion and reset that has none. */
  sweep_removals: job("bulk"),
  /** Enqueues the five-minute look at tracked segments, a job for each project. */
  sweep_segments: job("bulk"),
  /** Reads at Stripe how the subscription of a project stands. */
  sync_billing: job<{ projectId: string }>("fast"),
  /** Looks at the contacts of a project that changed. */
  update_segments: job<{ projectId: string }>("fast"),
  /** Tells members that a limit of their project is nearly or wholly used. */
  warn_of_limit: job<{
    projectId: string;
    category: "workflows" | "campaigns" | "transactional" | "inbound";
  }>("fast"),
  /** Ends delays and timeouts that are over. */
  wake_executions: job<{
    projectId: string;
    executionIds: string[];
    /** Of a timer: nothing that is due after it is ended by it. */
    at?: string;
  }>("workflows"),
  /** Enqueues the look at contacts that a job has missed. */
  wake_segments: job("bulk"),
};

/** The name of a job. */
export type JobName = keyof typeof JOBS;

/** What a job is given, by its name. */
export type Jobs = {
  [Name in JobName]: (typeof JOBS)[Name] extends Job<infer Payload, infer _> ? Payload : never;
};

type VariantOf<Name extends JobName> =
  (typeof JOBS)[Name] extends Job<infer _, infer Variant> ? Variant : never;

/** What each job does. It may run twice: the comment beside it says what a second run does. */
export type Tasks = { [Name in JobName]: (ctx: Context, payload: Jobs[Name]) => Promise<unknown> };

/** Enqueues one job per payload in the transaction of `tx`, in one statement: they exist if and only if it commits. */
export async function addJobs<Name extends JobName>(
  tx: Context,
  name: Name,
  payloads: Jobs[Name][],
  { priority = null }: Pick<JobOptions, "priority"> = {},
): Promise<void> {
  if (payloads.length === 0) return;
  await q.jobs.addMany(tx, { task: name, payloads: payloads.map(withTrace), ...usualOf(name, priority) });
}

/** Enqueues jobs that are due at a time, each with its priority, in the transaction of `tx`. */
export async function addTimedJobs<Name extends JobName>(
  tx: Context,
  name: Name,
  jobs: { payload: Jobs[Name]; runAt: Date; priority: number }[],
): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map(({ payload, runAt, priority }) => ({ payload, run_at: runAt, priority }));
  await q.jobs.addTimed(tx, { task: name, jobs: rows });
}

/** The priority of a job in one of its variants. */
export function priorityOf<Name extends JobName>(name: Name, variant: VariantOf<Name>): number {
  const { variants }: Job = JOBS[name];
  return variants![variant]!;
}

/** The priority of a job behind that many others of its kind; `Infinity`: of the last one. */
export function priorityBehind(name: JobName, others: number): number {
  const { priority = 0, last = priority }: Job = JOBS[name];
  return Math.min(last, priority + others);
}

/** When a job is due, and what tells it from others. */
export interface JobOptions {
  runAt?: Date | null;
  /** A job with the same key that still waits is replaced. */
  key?: string | null;
  /** From {@linkcode priorityOf} or {@linkcode priorityBehind}; left out: what is usual. */
  priority?: number | null;
}

/** Enqueues one job for later in the transaction of `tx`. */
export async function addJob<Name extends JobName>(
  tx: Context,
  name: Name,
  payload: Jobs[Name],
  { runAt = null, key = null, priority = null }: JobOptions = {},
): Promise<void> {
  const added = { task: name, payload: withTrace(payload), runAt, key };
  await q.jobs.add(tx, { ...added, ...usualOf(name, priority) });
}

/** Takes the job with this key out of the queue, if it still waits, in the transaction of `tx`. */
export async function removeJob(tx: Context, key: string): Promise<void> {
  await q.jobs.remove(tx, { key });
}

function usualOf(name: JobName, priority: number | null) {
  const usual: Job = JOBS[name];
  return { priority: priority ?? usual.priority ?? null, maxAttempts: usual.maxAttempts ?? null };
}

/**
 * A payload with the span that its job follows from, where one is recorded: `worker/task_list.ts` takes it out again. Jobs at a
 * time carry none, as nobody keeps traces for as long.
 */
function withTrace<Payload extends object>(payload: Payload): Payload {
  const from = tracer && contextNow();
  return from === undefined || "traces" in payload
    ? payload
    : { ...payload, traceparent: traceparentOf(from) };
}
