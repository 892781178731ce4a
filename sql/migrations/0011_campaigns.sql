create type campaign_status as enum ('DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED');

create type audience_type as enum ('ALL', 'SEGMENT', 'FILTERED');

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
  scheduled_at       timestamptz,
  content_id         uuid,
  audience           jsonb,
  snapshot_up_to       uuid,
  snapshot_count       int not null default 0,
  snapshot_at          timestamptz,
  total_recipients   int not null default 0,
  sent_count         int not null default 0,
  delivered_count    int not null default 0,
  opened_count       int not null default 0,
  clicked_count      int not null default 0,
  bounced_count      int not null default 0,
  complained_count   int not null default 0,
  unsubscribed_count int not null default 0,
  failed_count       int not null default 0,
  captured_count     int not null default 0,
  over_limit_count   int not null default 0,
  sent_at            timestamptz,
  finished_at        timestamptz,
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now(),
  primary key (project_id, id),
  foreign key (project_id, segment_id) references segments (project_id, id) on delete set null (segment_id),
  foreign key (project_id, template_id) references templates (project_id, id) on delete set null (template_id)
);

comment on table campaigns is
'One message to a part of the audience. `body` is what the author wrote, `html` what is rendered. It can be changed
while it is DRAFT or SCHEDULED; what is sent is a copy in `contents`, made when sending starts.';
comment on column campaigns.scheduled_at is
'When it was last scheduled. `scheduled_for` is the time at which it is sent.';
comment on column campaigns.audience is 'The audience as it was defined when sending started: `{condition, segments}`.';
comment on column campaigns.snapshot_up_to is
'The snapshot of the audience reads the contacts in the order of their ids, and has reached this one. `snapshot_at`:
when it was complete.';
comment on column campaigns.total_recipients is
'For a draft: how many it would have reached when it was saved. Fixed when sending starts.';
comment on column campaigns.sent_count is
'What became of its mails, except for what is still in `campaign_count_deltas`.';
comment on column campaigns.captured_count is 'How many of its mails are captured at this moment.';
comment on column campaigns.over_limit_count is
'Recipients beyond the monthly limit when the snapshot was taken: their mails are FAILED, with that reason.';
comment on column campaigns.finished_at is 'When it was SENT or CANCELLED and none of its mails was open any more.';

create index campaigns_unfinished on campaigns (project_id, id)
where status in ('SCHEDULED', 'SENDING', 'CANCELLED') and finished_at is null;
comment on index campaigns_unfinished is 'Serves `campaign_send.unfinished`.';

create index campaigns_by_content on campaigns (project_id, content_id) where content_id is not null;
comment on index campaigns_by_content is 'Serves `retention.empty_contents`: the campaign of a content.';

create index campaigns_scheduled on campaigns (project_id, first_id_at(scheduled_at), id)
where scheduled_at is not null;
comment on index campaigns_scheduled is 'Serves `activity.page`.';

create index campaigns_sent on campaigns (project_id, first_id_at(sent_at), id) where sent_at is not null;
comment on index campaigns_sent is 'Serves `activity.page`.';

create function note_scheduling() returns trigger
language plpgsql as $$
begin
  new.scheduled_at := new.updated_at;
  return new;
end $$;
comment on function note_scheduling is
'Notes when a campaign was scheduled, which the activity feed shows as long as the campaign exists.';

create trigger campaigns_scheduled_at
before update of scheduled_for on campaigns
for each row
when (
  new.status = 'SCHEDULED'
  and (old.status, old.scheduled_for) is distinct from (new.status, new.scheduled_for)
)
execute function note_scheduling();
comment on trigger campaigns_scheduled_at on campaigns is 'Sets `scheduled_at`.';

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
  failed       int not null,
  captured     int not null default 0
);

comment on table campaign_count_deltas is
'What was counted since the last roll-up. Append-only, so that neither senders nor readers of mails wait for each
other.';

create index campaign_count_deltas_by_campaign on campaign_count_deltas (project_id, campaign_id);
comment on index campaign_count_deltas_by_campaign is 'Serves `campaigns.by_id` and `campaigns.list`.';

create function campaign_deltas(
  project uuid, campaign uuid,
  out sent int, out delivered int, out opened int, out clicked int, out bounced int, out complained int,
  out unsubscribed int, out failed int, out captured int
)
language sql stable parallel safe
return (
  select row(
    coalesce(sum(d.sent), 0)::int, coalesce(sum(d.delivered), 0)::int, coalesce(sum(d.opened), 0)::int,
    coalesce(sum(d.clicked), 0)::int, coalesce(sum(d.bounced), 0)::int, coalesce(sum(d.complained), 0)::int,
    coalesce(sum(d.unsubscribed), 0)::int, coalesce(sum(d.failed), 0)::int, coalesce(sum(d.captured), 0)::int
  )
  from campaign_count_deltas d
  where d.project_id = project and d.campaign_id = campaign
);
comment on function campaign_deltas is 'The sum of the deltas of one campaign.';
