create type email_source as enum ('TRANSACTIONAL', 'WORKFLOW', 'CAMPAIGN');

create type email_status as enum (
  'PENDING', 'SENDING', 'CAPTURED', 'IN_DOUBT', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'BOUNCED', 'COMPLAINED',
  'FAILED', 'SUPPRESSED'
);
comment on type email_status is 'CAPTURED: it was not sent to anyone, and can still be sent.';

create function reached(said email_status, opened_at timestamptz, clicked_at timestamptz) returns email_status
language sql immutable parallel safe
return case
  when said not in ('SENT', 'IN_DOUBT') then said
  when clicked_at is not null then 'CLICKED'
  when opened_at is not null then 'OPENED'
  else said
end;
comment on function reached is
'The state of a mail that is reported as SENT or IN_DOUBT: if it was already opened or clicked, it is further
along than that.';

create function recipient_domain(address text) returns text
language sql immutable parallel safe
return case when strpos(address, '@') > 0 then split_part(address, '@', -1) else '' end;
comment on function recipient_domain is
'The domain of an address; the empty string for an address without one, which a deleted contact leaves behind.';

create function emails_of_contacts(project uuid) returns bigint
language sql immutable parallel safe
return hashtextextended('emails of contacts ' || project::text, 0);
comment on function emails_of_contacts is
'Key of the advisory lock between the snapshot of an audience and the deletion of contacts of the same project.';

create table emails (
  project_id            uuid not null,
  id                    uuid not null default uuid_v7(),
  contact_id            uuid,
  address               text not null,
  to_name               text,
  content_id            uuid,
  source_type           email_source not null,
  campaign_id           uuid,
  template_id           uuid,
  workflow_execution_id uuid,
  data                  jsonb,
  status                email_status not null default 'PENDING',
  claimed_by            uuid,
  attempts              int not null default 0,
  due_at                timestamptz not null,
  tried_at              timestamptz,
  doubted_at            timestamptz,
  message_id            text,
  provider_id           text,
  error                 text,
  queued_at             timestamptz not null,
  captured_at           timestamptz,
  released_at           timestamptz,
  sent_at               timestamptz,
  delivered_at          timestamptz,
  opened_at             timestamptz,
  clicked_at            timestamptz,
  bounced_at            timestamptz,
  complained_at         timestamptz,
  unsubscribed_at       timestamptz,
  bot_opened_at     timestamptz,
  opens                 int not null default 0,
  clicks                int not null default 0,
  primary key (project_id, id)
);

comment on table emails is
'The ledger: one row per message. States only move forward, and every move is a guarded UPDATE.

Foreign keys would be checked row by row: a snapshot of 1,000,000 recipients takes 16 s with them and 5 s without.
What they would guarantee is ensured in other ways. `contact_deletion.part_with_emails` clears what a deleted contact
leaves behind. A transaction that adds a mail has just written its contact, or holds the lock `emails_of_contacts`. A
content that has expired is not found.';
comment on column emails.template_id is 'Of a direct send or a workflow step. For a campaign see `campaigns`.';
comment on column emails.data is
'For a mail of a workflow: what its template sees in addition to the contact and the content: `{event?, …}`. Null again
once the mail has reached a final state.';
comment on column emails.claimed_by is 'The process that holds the row while it is SENDING.';
comment on column emails.due_at is
'PENDING: not before this time; infinity while it waits apart (see `emails_apart`). SENDING: when it was claimed.
IN_DOUBT: since when.';
comment on column emails.tried_at is 'When it was first claimed: the time for retries counts from here.';
comment on column emails.doubted_at is
'When it was first in doubt: its recipient may have received it twice. Never cleared.';
comment on column emails.provider_id is
'Its id at the provider, if the mail server returns one when it accepts the mail.';
comment on column emails.captured_at is
'When it was captured. Null again when it is released, or reaches a final state in another way.';
comment on column emails.released_at is
'When it was last released after being captured: it counts towards that month, not the month in which it was accepted.
Null if it never was.';
comment on column emails.unsubscribed_at is 'When the recipient unsubscribed through a link in this mail.';
comment on column emails.bot_opened_at is
'When a bot first opened it, as filters and mail programs do: it says nothing about the recipient.';

create function is_reset(r resets, e emails) returns boolean
language sql immutable parallel safe
return e.id <= r.emails
  or e.campaign_id <= r.campaigns
  or e.workflow_execution_id <= r.executions
  or e.contact_id <= r.contacts;
comment on function is_reset(resets, emails) is
'Whether a reset removes a mail, either directly or with what it is sent for. Postgres inlines it.';

create index emails_pending on emails (campaign_id, due_at) where status = 'PENDING';
comment on index emails_pending is
'Of the rows that change often, only open ones are indexed by state, so that these indexes stay small. Serves
`delivery.requeue_overdue`, `campaign_send.finish`, `campaign_send.batch` and `campaign_send.requeue`.';

create index emails_apart
on emails (recipient_domain(address), (campaign_id is not null), tried_at, id)
where status = 'PENDING' and due_at = 'infinity';
comment on index emails_apart is
'Mails that wait apart, because all connections that the domain of the recipient may use are in use: PENDING and due at
infinity, so that nothing that looks for due mails finds them. Serves `apart.come_back`, `apart.apart_domains` and
`apart.give_up_apart`.';

create index emails_sending on emails (claimed_by) where status = 'SENDING';
comment on index emails_sending is
'Serves `delivery.settle_dead`, `delivery.orphaned_by`, `delivery.held_by` and `campaign_send.finish`.';

create index emails_in_doubt on emails (due_at) where status = 'IN_DOUBT';
comment on index emails_in_doubt is 'Serves `delivery.settle_doubts`.';

create index emails_captured on emails (captured_at, project_id, id) where captured_at is not null;
comment on index emails_captured is
'Serves `captured_release.next`, `captured_release.of_ids` and `captured_release.hold`.';

create index emails_by_contact on emails (project_id, contact_id, id);
comment on index emails_by_contact is 'Serves `emails.list` by contact, and the deletion of a contact.';

create index emails_by_campaign on emails (project_id, campaign_id, id) where campaign_id is not null;
comment on index emails_by_campaign is 'Serves `emails.list` by campaign.';

create index emails_by_status on emails (project_id, status, id)
where status not in ('PENDING', 'SENDING', 'SENT');
comment on index emails_by_status is
'Serves `emails.list` by status, except for the states that every mail passes through: PENDING and SENDING are found by
the indexes of open rows, SENT by reading from the newest row on.';

create index emails_by_template on emails (project_id, template_id) where template_id is not null;
comment on index emails_by_template is 'Serves `templates.count_sent`.';

create index emails_by_provider_id on emails (provider_id) where provider_id is not null;
comment on index emails_by_provider_id is
'Serves `feedback.hold_mails`, when a notice identifies a mail only by its id at the provider.';

create table captured_mails (
  id           uuid primary key default uuid_v7(),
  from_address text not null,
  to_address   text not null,
  subject      text not null,
  source       bytea not null,
  captured_at  timestamptz not null default now()
);

comment on table captured_mails is 'Mail that was captured instead of sent; the newest are kept. Shown on /inbox.';

create table mail_counts (
  project_id     uuid not null references projects on delete cascade,
  at             timestamptz not null,
  source_type    email_source not null,
  campaign_id    uuid not null,
  sent           int not null,
  delivered      int not null,
  opened         int not null,
  clicked        int not null,
  bounced        int not null,
  complained     int not null,
  unsubscribed   int not null,
  bot_opened int not null,
  primary key (project_id, at, source_type, campaign_id)
);

comment on table mail_counts is
'What became of mails, by quarter of an hour (UTC), except for what is still in `mail_count_deltas`. All time zones in
use differ from UTC by a multiple of that, so that days are exact in each. The counts outlive the mails, their campaigns
and contacts. `campaign_id` is the nil UUID for mails of no campaign.';

create index mail_counts_by_time on mail_counts (project_id, at)
include (sent, delivered, opened, clicked, bounced, complained, bot_opened);
comment on index mail_counts_by_time is
'Serves `mail_series.by_day` and `mail_series.total` from the index alone: two years take half the time.';

create table mail_count_deltas (
  project_id     uuid not null,
  at             timestamptz not null,
  source_type    email_source not null,
  campaign_id    uuid not null,
  sent           int not null,
  delivered      int not null,
  opened         int not null,
  clicked        int not null,
  bounced        int not null,
  complained     int not null,
  unsubscribed   int not null,
  bot_opened int not null
);

comment on table mail_count_deltas is 'What was counted since the last roll-up. Append-only.';

create index mail_count_deltas_by_project on mail_count_deltas (project_id, at);
comment on index mail_count_deltas_by_project is 'Serves the reading of counts.';

create function mail_counts_of(project uuid, since timestamptz, until timestamptz)
returns table (
  at timestamptz, source_type email_source, campaign_id uuid, sent int, delivered int, opened int, clicked int,
  bounced int, complained int, unsubscribed int, bot_opened int
)
language sql stable parallel safe
begin atomic
  select
    c.at, c.source_type, c.campaign_id, c.sent, c.delivered, c.opened, c.clicked, c.bounced, c.complained,
    c.unsubscribed, c.bot_opened
  from mail_counts c
  where c.project_id = project and c.at >= since and c.at < until
  union all
  select
    d.at, d.source_type, d.campaign_id, d.sent, d.delivered, d.opened, d.clicked, d.bounced, d.complained,
    d.unsubscribed, d.bot_opened
  from mail_count_deltas d
  where d.project_id = project and d.at >= since and d.at < until;
end;
comment on function mail_counts_of is
'What became of mails, from one moment to just before another, both at the start of a quarter of an hour. A quarter
may have several rows, which the reader sums up, so that none can forget what is not rolled up yet.';

create or replace function count_emails() returns trigger
language plpgsql set enable_nestloop = off as $$
begin
  with changed as materialized (
    select
      a.project_id, a.source_type, a.campaign_id,
      (a.status = 'FAILED')::int - (r.status = 'FAILED')::int as failed,
      (a.captured_at is not null)::int - (r.captured_at is not null)::int as captured,
      array[
        quarter_of(r.sent_at), quarter_of(r.delivered_at), quarter_of(r.opened_at), quarter_of(r.clicked_at),
        quarter_of(r.bounced_at), quarter_of(r.complained_at), quarter_of(r.unsubscribed_at),
        quarter_of(r.bot_opened_at)
      ] as before,
      array[
        quarter_of(a.sent_at), quarter_of(a.delivered_at), quarter_of(a.opened_at), quarter_of(a.clicked_at),
        quarter_of(a.bounced_at), quarter_of(a.complained_at), quarter_of(a.unsubscribed_at),
        quarter_of(a.bot_opened_at)
      ] as after,
      count(*) as mails
    from added a
    join removed r on r.project_id = a.project_id and r.id = a.id
    where (
      a.status = 'FAILED', a.captured_at is not null, a.sent_at, a.delivered_at, a.opened_at, a.clicked_at,
      a.bounced_at, a.complained_at, a.unsubscribed_at, a.bot_opened_at
    ) is distinct from (
      r.status = 'FAILED', r.captured_at is not null, r.sent_at, r.delivered_at, r.opened_at, r.clicked_at,
      r.bounced_at, r.complained_at, r.unsubscribed_at, r.bot_opened_at
    )
    group by a.project_id, a.source_type, a.campaign_id, failed, captured, before, after
  ),
  counted as (
    select
      project_id,
      campaign_id,
      sum(
        mails * (
          (coalesce(after[1], after[5], after[6]) is not null)::int
            - (coalesce(before[1], before[5], before[6]) is not null)::int
        )
      ) as handed_over,
      sum(mails * ((after[1] is not null)::int - (before[1] is not null)::int)) as sent,
      sum(mails * ((after[2] is not null)::int - (before[2] is not null)::int)) as delivered,
      sum(mails * ((after[3] is not null)::int - (before[3] is not null)::int)) as opened,
      sum(mails * ((after[4] is not null)::int - (before[4] is not null)::int)) as clicked,
      sum(mails * ((after[5] is not null)::int - (before[5] is not null)::int)) as bounced,
      sum(mails * ((after[6] is not null)::int - (before[6] is not null)::int)) as complained,
      sum(mails * ((after[7] is not null)::int - (before[7] is not null)::int)) as unsubscribed,
      sum(mails * failed) as failed,
      sum(mails * captured) as captured
    from changed
    group by project_id, campaign_id
  ),
  for_reputation as (
    insert into reputation_deltas (project_id, day, total, bounces, complaints)
    select project_id, (now() at time zone 'UTC')::date, handed_over, bounced, complained
    from counted
    where (handed_over, bounced, complained) <> (0, 0, 0)
  ),
  for_campaigns as (
    insert into campaign_count_deltas (
      project_id, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed, failed, captured
    )
    select
      project_id, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed, failed, captured
    from counted
    where campaign_id is not null
      and (sent, delivered, opened, clicked, bounced, complained, unsubscribed, failed, captured)
        <> (0, 0, 0, 0, 0, 0, 0, 0, 0)
  ),
  times as (
    select
      project_id, source_type, campaign_id, mails, generate_series(1, 8) as measure, unnest(before) as before,
      unnest(after) as after
    from changed
  ),
  moved as (
    select project_id, source_type, campaign_id, measure, mails as n, after as at
    from times
    where after is not null and after is distinct from before
    union all
    select project_id, source_type, campaign_id, measure, -mails, before
    from times
    where before is not null and after is distinct from before
  )
  insert into mail_count_deltas (
    project_id, at, source_type, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed,
    bot_opened
  )
  select
    project_id,
    at,
    source_type,
    coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'),
    coalesce(sum(n) filter (where measure = 1), 0),
    coalesce(sum(n) filter (where measure = 2), 0),
    coalesce(sum(n) filter (where measure = 3), 0),
    coalesce(sum(n) filter (where measure = 4), 0),
    coalesce(sum(n) filter (where measure = 5), 0),
    coalesce(sum(n) filter (where measure = 6), 0),
    coalesce(sum(n) filter (where measure = 7), 0),
    coalesce(sum(n) filter (where measure = 8), 0)
  from moved
  group by project_id, at, source_type, campaign_id;
  return null;
end $$;
comment on function count_emails is
'Counts what changes in the ledger, in the statement that changes it, so that the counters always equal it: for
campaigns; for the reputation of the project, where a mail counts once it was handed over or has bounced instead, on
the day (UTC) when that is written here; and by quarter of an hour.
It makes one pass over the mails whose times have changed. Mails with the same changes are grouped first, because those
of a batch are all alike: 500 mails take 0.6 ms instead of 2. Its plan is cached, and is made when few rows have
changed: a nested loop would then be kept permanently.';

create trigger emails_count
after update on emails referencing old table as removed new table as added
for each statement execute function count_emails();
comment on trigger emails_count on emails is
'Appends to `campaign_count_deltas`, `reputation_deltas` and `mail_count_deltas`.';

create type suppression_reason as enum ('MANUAL', 'BOUNCE', 'COMPLAINT');
comment on type suppression_reason is
'From the weakest to the strongest: if an address has two reasons, the stronger one is kept.';

create table suppressions (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null default uuid_v7(),
  email      text not null check (email = lower(email) and length(email) <= 254),
  reason     suppression_reason not null,
  created_at timestamptz not null default now(),
  primary key (project_id, id),
  constraint suppressions_email_unique unique (project_id, email)
);

comment on table suppressions is 'Addresses to which a project sends no mail of any kind.';

create function is_reset(r resets, s suppressions) returns boolean
language sql immutable parallel safe
return s.id <= r.suppressions;
comment on function is_reset(resets, suppressions) is 'Whether a reset removes an address from the list.';

create table webhook_receipts (
  source      text not null,
  id          text not null,
  received_at timestamptz not null,
  primary key (source, id)
);

comment on table webhook_receipts is
'Notices that other services have sent us, by the id that the sender gave them. A notice that is sent again counts
once.';

create index webhook_receipts_by_time on webhook_receipts (received_at);
comment on index webhook_receipts_by_time is 'Serves `webhook_receipts.purge`.';
