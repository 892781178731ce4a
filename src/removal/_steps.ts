// What a project consists of, and in which order it is taken apart: a test holds these lists against the catalogue of the
// database.
import {
  billing,
  bulkJobs,
  campaignDeltas,
  campaigns,
  candidates,
  contacts,
  contents,
  emails,
  events,
  executions,
  idempotencyKeys,
  imports,
  jobs,
  lateEmails,
  lateEvents,
  segments,
  suppressions,
  templates,
  uploads,
  workflows,
  rest,
  type Step,
} from "./_batches.ts";

/** What goes with the rows of other tables, by references and triggers. */
export const FOLLOWING = [
  "attachments",
  "contact_import_pieces",
  "scheduled_runs",
  "segment_members",
  "step_executions",
  "waits",
  "workflow_contents",
  "workflow_references",
  "workflow_steps",
  "workflow_transitions",
  "workflow_versions",
];

/** What a reset keeps. Counters of contacts and events follow by triggers; the rest is recounted at the end. */
export const KEPT = [
  "audit",
  "billing_accounts",
  "contact_count_deltas",
  "contact_counts",
  "domains",
  "event_count_deltas",
  "event_counts",
  "event_totals",
  "execution_count_deltas",
  "execution_counts",
  "invitations",
  "mail_count_deltas",
  "mail_counts",
  "memberships",
  "rate_limits",
  "reputation_days",
  "reputation_deltas",
  "reputations",
  "suspensions",
  "usage_deltas",
  "usage_limits",
  "usage_months",
  "usage_reports",
  "usage_warnings",
];

/**
 * What a reset deletes: first what creates mails, then the mails, then what they are made from. Segments come after the
 * contacts, and whatever refers to segments and templates comes before them.
 */
export const RESET: readonly Step[] = [
  executions,
  workflows,
  templates,
  emails,
  lateEmails,
  contents,
  campaigns,
  campaignDeltas,
  imports,
  bulkJobs,
  events,
  lateEvents,
  candidates,
  contacts,
  segments,
  suppressions,
  idempotencyKeys,
  uploads,
];

/** Everything, in the same order; tables that are only appended to come last. */
export const DELETION: readonly Step[] = [
  jobs,
  executions,
  workflows,
  templates,
  emails,
  contents,
  campaigns,
  imports,
  bulkJobs,
  events,
  candidates,
  contacts,
  segments,
  suppressions,
  uploads,
  billing,
  ...[...FOLLOWING, ...KEPT, "campaign_count_deltas", "idempotency_keys", "resets"].map(rest),
];
