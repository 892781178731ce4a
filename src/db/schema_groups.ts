/** A table, and the functions that serve it but are not its triggers: those are shown under it anyway. */
export type Table = string | [name: string, ...functions: string[]];

/**
 * The tables of the service by subject, as the picture of the schema shows them. It rejects anything that is in no
 * group.
 */
export const SCHEMA_GROUPS: Record<string, Table[]> = {
  Projects: [
    ["projects", "remove_project_rows", "expired_until"],
    "rate_limits",
    "idempotency_keys",
    "audit",
    ["resets", "is_reset", "contacts_reset_up_to", "starts_of_workflows"],
  ],
  Accounts: [
    "users",
    "identities",
    "oauth_callbacks",
    "sessions",
    "account_tokens",
    "memberships",
    "invitations",
    "login_failures",
    "user_rate_limits",
    "daily_counts",
    "platform_mails",
  ],
  Contacts: [
    ["contacts", "merge_contact_data"],
    ["contact_counts", "contact_field_type"],
    "contact_count_deltas",
    "contact_imports",
    "contact_import_pieces",
    "bulk_jobs",
    "suppressions",
  ],
  Events: [
    ["events", "make_events_partition", "drop_events_partition", "assert_not_held", "workflow_depth"],
    ["event_counts", "event_counts_of", "event_count_faults"],
    ["event_totals", "event_totals_of"],
    "event_count_deltas",
  ],
  Segments: [
    ["segments", "number_of", "text_of", "instant_of"],
    "segment_members",
    ["segment_candidates", "note_segment_candidates", "enqueue_segment_upkeep"],
  ],
  Contents: ["templates", "contents", "attachments", "uploads"],
  Domains: ["domains"],
  Emails: [
    ["emails", "reached", "recipient_domain", "emails_of_contacts", "first_id_at", "time_of_id", "uuid_v7"],
    ["handover_marks", "mark_handovers", "may_be_sent", "marks_of"],
    "handover_notes",
    "captured_mails",
    [
      "mail_counts",
      "mail_counts_of",
      "mail_counts_by_measure",
      "mail_facts",
      "mail_count_faults",
      "quarter_of",
    ],
    "mail_count_deltas",
    "webhook_receipts",
    ["send_rates", "take_sends"],
  ],
  Reputation: [["reputations", "reputation_since"], "reputation_days", "reputation_deltas", "suspensions"],
  Campaigns: ["campaigns", ["campaign_count_deltas", "campaign_deltas"]],
  Workflows: [
    "workflows",
    "workflow_steps",
    "workflow_references",
    "workflow_transitions",
    "workflow_versions",
    "workflow_contents",
    "scheduled_runs",
    "executions",
    "step_executions",
    "waits",
    ["execution_counts", "execution_counts_of"],
    "execution_count_deltas",
  ],
  Usage: [
    "usage_limits",
    ["usage_months", "usage_of", "usage_of_source", "usage_month", "take_usage"],
    "usage_deltas",
    "usage_warnings",
    "billing_accounts",
    "usage_reports",
  ],
  Operation: [
    ["workers", "queued_jobs", "give_back_jobs"],
    ["expired", "counts_rollup_lock", "recounting"],
    "unnamed_proxies",
    "migrations",
  ],
};
