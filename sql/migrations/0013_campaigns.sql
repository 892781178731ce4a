create type campaign_status as enum ('DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED');

create type audience_type as enum ('ALL', 'SEGMENT', 'FILTERED');

-- One message to a part of the audience. `body` is what the author wrote, `html` what is rendered. DRAFT and SCHEDULED
-- may be changed; what is sent is a copy in `contents`, made when sending starts.
create table campaigns (
  project_id         uuid not null references projects on delete cascade,
  id                 uuid not null default uuid_v7(),
  name               text not null check (length(name) >= 1),
  description        text,
  subject            text not null check (length(subject) between 1 and 998),
  body               text not null check (length(body) >= 1),
  html               text not null,
  from_email         text not null,
  from_name          text,
  reply_to           text,
  type               message_type not null default 'MARKETING',
  status             campaign_status not null default 'DRAFT',
  audience_type      audience_type not null,
  segment_id         uuid,
  audience_condition jsonb check (jsonb_typeof(audience_condition) = 'object'),
  template_id        uuid,
  scheduled_for      timestamptz,
  content_id         uuid,
  -- Whom it was sent to, as that was defined then: `{condition, segments}`. It is not looked at again.
  audience           jsonb,
  -- Freezing walks the contacts in the order of their ids, as far as this one; `frozen_at` says that it is done.
  frozen_up_to       uuid,
  frozen_count       int not null default 0,
  frozen_at          timestamptz,
  -- Of a draft: how many it would reach when it was saved. Fixed when sending starts.
  total_recipients   int not null default 0,
  -- What became of its mails, but for what still stands in `campaign_count_deltas`.
  sent_count         int not null default 0,
  delivered_count    int not null default 0,
  opened_count       int not null default 0,
  clicked_count      int not null default 0,
  bounced_count      int not null default 0,
  complained_count   int not null default 0,
  unsubscribed_count int not null default 0,
  failed_count       int not null default 0,
  sent_at            timestamptz,
  -- SENT or CANCELLED, and no mail of it is open any more.
  finished_at        timestamptz,
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now(),
  primary key (project_id, id),
  foreign key (project_id, segment_id) references segments (project_id, id) on delete set null (segment_id),
  foreign key (project_id, template_id) references templates (project_id, id) on delete set null (template_id)
);

-- Serves `campaign_send.unfinished`.
create index campaigns_unfinished on campaigns (project_id, id)
where status in ('SCHEDULED', 'SENDING', 'CANCELLED') and finished_at is null;

-- What was counted since the last fold. Only appended to, so that no sender and no reader of mails waits for another.
create table campaign_count_deltas (
  project_id   uuid not null,
  campaign_id  uuid not null,
  sent         int not null,
  delivered    int not null,
  opened       int not null,
  clicked      int not null,
  bounced      int not null,
  complained   int not null,
  unsubscribed int not null,
  failed       int not null
);

-- Serves `campaigns.by_id` and `campaigns.list`.
create index campaign_count_deltas_by_campaign on campaign_count_deltas (project_id, campaign_id);

-- What the deltas of one campaign come to.
create function campaign_deltas(
  project uuid, campaign uuid,
  out sent int, out delivered int, out opened int, out clicked int, out bounced int, out complained int,
  out unsubscribed int, out failed int
)
language sql stable parallel safe
return (
  select row(
    coalesce(sum(d.sent), 0)::int, coalesce(sum(d.delivered), 0)::int, coalesce(sum(d.opened), 0)::int,
    coalesce(sum(d.clicked), 0)::int, coalesce(sum(d.bounced), 0)::int, coalesce(sum(d.complained), 0)::int,
    coalesce(sum(d.unsubscribed), 0)::int, coalesce(sum(d.failed), 0)::int
  )
  from campaign_count_deltas d
  where d.project_id = project and d.campaign_id = campaign
);

-- Counts what changed in the ledger in the very statement that changes it, whoever that is: so the counters equal it.
-- For campaigns, and for the reputation of the project: there a mail counts once it was handed over, or bounced instead,
-- on the day (UTC) on which that is written down here. Both in one pass, which costs some hundredths of a millisecond
-- for 40 mails.
create function count_emails() returns trigger
language plpgsql as $$
begin
  with changed as (
    select
      1 as n, project_id, campaign_id, status, sent_at, delivered_at, opened_at, clicked_at, bounced_at, complained_at,
      unsubscribed_at
    from added
    union all
    select
      -1, project_id, campaign_id, status, sent_at, delivered_at, opened_at, clicked_at, bounced_at, complained_at,
      unsubscribed_at
    from removed
  ),
  counted as (
    select
      project_id,
      campaign_id,
      coalesce(sum(n) filter (where coalesce(sent_at, bounced_at, complained_at) is not null), 0) as handed_over,
      coalesce(sum(n) filter (where sent_at is not null), 0) as sent,
      coalesce(sum(n) filter (where delivered_at is not null), 0) as delivered,
      coalesce(sum(n) filter (where opened_at is not null), 0) as opened,
      coalesce(sum(n) filter (where clicked_at is not null), 0) as clicked,
      coalesce(sum(n) filter (where bounced_at is not null), 0) as bounced,
      coalesce(sum(n) filter (where complained_at is not null), 0) as complained,
      coalesce(sum(n) filter (where unsubscribed_at is not null), 0) as unsubscribed,
      coalesce(sum(n) filter (where status = 'FAILED'), 0) as failed
    from changed
    group by project_id, campaign_id
  ),
  for_reputation as (
    insert into reputation_deltas (project_id, day, total, bounces, complaints)
    select project_id, (now() at time zone 'UTC')::date, handed_over, bounced, complained
    from counted
    where (handed_over, bounced, complained) <> (0, 0, 0)
  )
  insert into campaign_count_deltas (
    project_id, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed, failed
  )
  select project_id, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed, failed
  from counted
  where campaign_id is not null
    and (sent, delivered, opened, clicked, bounced, complained, unsubscribed, failed) <> (0, 0, 0, 0, 0, 0, 0, 0);
  return null;
end $$;

create trigger emails_count
after update on emails referencing old table as removed new table as added
for each statement execute function count_emails();
