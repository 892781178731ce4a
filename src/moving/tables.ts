// What moves with a project, in which order, and what stays behind: a test holds these lists against the catalogue of the
// database. Tables of workflows and segments come after contacts and events, so that no trigger finds one to start or update.

/** A table whose rows move. */
export interface MovedTable {
  name: string;
  /** Only with `--ledger`: it grows with every mail and event. */
  isLedger?: boolean;
  /** Tables that triggers have written into by then: what they wrote is deleted before its rows are inserted. */
  clears?: readonly string[];
  /** Kept by triggers, and added up by the roll-up. */
  isCounter?: boolean;
}

/** Counters that triggers keep, as deltas and added up. They reach further back than the rows they counted. */
const COUNTERS = [
  "contact_counts",
  "contact_days",
  "event_counts",
  "event_totals",
  "execution_counts",
  "step_counts",
  "branch_counts",
  "campaign_links",
  "mail_counts",
  "delivery_hours",
  "usage_months",
  "reputation_days",
  "contact_count_deltas",
  "contact_day_deltas",
  "event_count_deltas",
  "execution_count_deltas",
  "step_count_deltas",
  "campaign_count_deltas",
  "campaign_link_deltas",
  "mail_count_deltas",
  "delivery_hour_deltas",
  "usage_deltas",
  "reputation_deltas",
] as const;

/** Everything that moves, in the order in which it can be inserted. */
export const MOVED: readonly MovedTable[] = [
  { name: "projects" },
  { name: "project_keys" },
  { name: "domains" },
  { name: "warmup_plans" },
  { name: "transports" },
  { name: "routes" },
  { name: "usage_limits" },
  { name: "suppressions" },
  { name: "uploads" },
  { name: "contacts" },
  { name: "events", isLedger: true },
  { name: "segments" },
  { name: "segment_members" },
  { name: "segment_sizes", clears: ["segment_sizes"] },
  { name: "templates" },
  { name: "template_versions", clears: ["template_versions"] },
  { name: "contents", isLedger: true },
  { name: "attachments", isLedger: true },
  { name: "campaigns" },
  { name: "emails", isLedger: true },
  { name: "email_tags", isLedger: true },
  { name: "scheduled_emails", isLedger: true },
  { name: "idempotency_keys", isLedger: true },
  { name: "workflows" },
  { name: "workflow_steps" },
  { name: "workflow_references" },
  { name: "workflow_transitions" },
  { name: "workflow_versions" },
  { name: "workflow_graphs" },
  { name: "scheduled_runs" },
  { name: "executions" },
  { name: "step_executions" },
  { name: "waits" },
  { name: "reputations" },
  { name: "suspensions" },
  // All counters at once: a roll-up between two of them would add to one what it takes from the other.
  ...COUNTERS.map((name, n) => ({ name, isCounter: true, ...(n === 0 && { clears: COUNTERS }) })),
  { name: "segment_candidates" },
  // After everything that an endpoint would be told about.
  { name: "webhooks" },
  { name: "webhook_days" },
  { name: "audit" },
];

/** What stays behind, and why. */
export const STAYING: Record<string, string> = {
  billing_accounts: "a subscription belongs to the account at Stripe of this installation",
  bulk_jobs: "a record of work that is done",
  captured_mails: "the inbox of an installation that sends nothing",
  contact_import_changes: "an import is undone where it was made",
  contact_import_pieces: "as the import that they belong to",
  contact_imports: "a record of work that is done",
  deliverability_alerts: "mails to people of this installation; where it still is one, it is found again",
  invitations: "people belong to an installation",
  memberships: "people belong to an installation",
  move_file_pieces: "as the move that they belong to",
  move_files: "as the move that they belong to",
  move_ids: "as the move that they belong to",
  move_left_out: "as the move that it belongs to",
  moves: "a record of work that is done",
  project_moves: "where this copy of the project came from",
  rate_limits: "of the current minute",
  requests: "the log of requests is kept for some days",
  resets: "a project that is being reset cannot be exported",
  usage_reports: "what was reported to Stripe",
  usage_warnings: "mails to people of this installation",
  webhook_deliveries: "what waits is sent from where it happened",
  webhook_messages: "as the deliveries",
  webhook_notes: "as the deliveries",
  workflow_contents: "made again when they are needed",
};
