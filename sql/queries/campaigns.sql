-- name: by_id :maybe
select
  c.id, c.name, c.description, c.subject, c.preheader, c.body, c.html, c.from_email, c.from_name, c.reply_to, c.type, c.status,
  c.audience_type, c.segment_id, c.audience_condition, c.template_id, c.scheduled_for, c.total_recipients,
  c.sent_count + d.sent as "sent_count!",
  c.delivered_count + d.delivered as "delivered_count!",
  c.opened_count + d.opened as "opened_count!",
  c.clicked_count + d.clicked as "clicked_count!",
  c.bounced_count + d.bounced as "bounced_count!",
  c.complained_count + d.complained as "complained_count!",
  c.unsubscribed_count + d.unsubscribed as "unsubscribed_count!",
  c.failed_count + d.failed as "failed_count!",
  c.captured_count + d.captured as "captured_count!",
  c.processed_count + d.processed as "processed_count!",
  c.project_id, c.sent_at, c.created_at, c.updated_at
from campaigns c
cross join lateral campaign_deltas(c.project_id, c.id) as d
where c.project_id = :project_id and c.id = :campaign_id;

-- name: list :many
-- nullable: status, pattern
-- One page, with bodies only if they are asked for. A project has hundreds of campaigns, and not millions: sorting them
-- all costs little.
select
  c.id, c.name, c.description, c.subject, c.preheader, case when :with_body::boolean then c.body end as "body?", c.from_email, c.from_name, c.reply_to, c.type, c.status,
  c.audience_type, c.segment_id, c.audience_condition, c.template_id, c.scheduled_for, c.total_recipients,
  c.sent_count + d.sent as "sent_count!",
  c.delivered_count + d.delivered as "delivered_count!",
  c.opened_count + d.opened as "opened_count!",
  c.clicked_count + d.clicked as "clicked_count!",
  c.bounced_count + d.bounced as "bounced_count!",
  c.complained_count + d.complained as "complained_count!",
  c.unsubscribed_count + d.unsubscribed as "unsubscribed_count!",
  c.failed_count + d.failed as "failed_count!",
  c.captured_count + d.captured as "captured_count!",
  c.processed_count + d.processed as "processed_count!",
  c.project_id, c.sent_at, c.created_at, c.updated_at
from (
  select
    k.id,
    row_number() over (
      order by
        case when :sort = 'name' and :dir = 'asc' then lower(k.name) end,
        case when :sort = 'name' and :dir = 'desc' then lower(k.name) end desc,
        case when :sort = 'createdAt' and :dir = 'asc' then k.created_at end,
        case when :sort = 'createdAt' and :dir = 'desc' then k.created_at end desc,
        case when :sort = 'updatedAt' and :dir = 'asc' then k.updated_at end,
        case when :sort = 'updatedAt' and :dir = 'desc' then k.updated_at end desc,
        case when :dir = 'asc' then k.id end,
        k.id desc
    ) as place
  from campaigns k
  where k.project_id = :project_id
    and (:status::campaign_status is null or k.status = :status)
    and (:pattern::text is null or k.name ilike :pattern or k.subject ilike :pattern or k.from_email ilike :pattern)
) as ordered
join campaigns c on c.project_id = :project_id and c.id = ordered.id
cross join lateral campaign_deltas(c.project_id, c.id) as d
where ordered.place > :offset::int and ordered.place <= :offset::int + :limit::int
order by ordered.place;

-- name: count :one
-- nullable: status, pattern
select count(*)::int as "total!"
from campaigns k
where k.project_id = :project_id
  and (:status::campaign_status is null or k.status = :status)
  and (:pattern::text is null or k.name ilike :pattern or k.subject ilike :pattern or k.from_email ilike :pattern);

-- name: insert :exec
-- nullable: description, preheader, from_name, reply_to, segment_id, audience_condition, template_id
insert into campaigns (
  project_id, id, name, description, subject, preheader, body, html, from_email, from_name, reply_to, type, audience_type,
  segment_id, audience_condition, template_id, total_recipients
)
values (
  :project_id, :id, :name, :description, :subject, :preheader, :body, :html, :from_email, :from_name, :reply_to, :type,
  :audience_type, :segment_id, :audience_condition, :template_id, :total_recipients
);

-- name: replace :exec
-- nullable: description, preheader, from_name, reply_to, segment_id, audience_condition, template_id, unchanged_since
-- 0 when it does not exist, is past being changed, or has been changed since `unchanged_since`. Its time stays where that is
-- what it was.
update campaigns
set
  name               = :name,
  description        = :description,
  subject            = :subject,
  preheader          = :preheader,
  body               = :body,
  html               = :html,
  from_email         = :from_email,
  from_name          = :from_name,
  reply_to           = :reply_to,
  type               = :type,
  audience_type      = :audience_type,
  segment_id         = :segment_id,
  audience_condition = :audience_condition,
  template_id        = :template_id,
  total_recipients   = :total_recipients,
  updated_at         = case
    when (
      name, description, subject, preheader, body, from_email, from_name, reply_to, type, audience_type, segment_id,
      audience_condition, template_id
    ) is distinct from (
      :name, :description, :subject, :preheader, :body, :from_email, :from_name, :reply_to, :type, :audience_type,
      :segment_id, :audience_condition, :template_id
    ) then now()
    else updated_at
  end
where project_id = :project_id
  and id = :id
  and status in ('DRAFT', 'SCHEDULED')
  and (:unchanged_since::timestamptz is null or date_trunc('milliseconds', updated_at) = :unchanged_since);

-- name: duplicate :maybe
-- A new draft with the content and the audience of another campaign, and nothing of its history. One whose segment is
-- gone reaches nobody.
insert into campaigns (
  project_id, name, description, subject, preheader, body, html, from_email, from_name, reply_to, type, audience_type, segment_id,
  audience_condition, template_id, total_recipients
)
select
  project_id, left(name, :max_name::int - length(:suffix::text)) || :suffix::text, description, subject, preheader, body, html,
  from_email, from_name, reply_to, type, audience_type, segment_id, audience_condition, template_id,
  case when audience_type = 'SEGMENT' and segment_id is null then 0 else total_recipients end
from campaigns
where project_id = :project_id and id = :campaign_id
returning id;

-- name: remove :maybe
-- Null when it does not exist, or is on its way.
delete from campaigns
where project_id = :project_id and id = :campaign_id and status not in ('SCHEDULED', 'SENDING')
returning status = 'CANCELLED' and finished_at is null as "has_open_mails!";

-- name: lock :maybe
-- The campaign, locked until the end of the transaction. A claim of its mails holds a weaker lock on it: the holder of
-- this lock has waited for all claims in progress.
select
  id, name, subject, preheader, body, html, from_email, from_name, reply_to, type, status, audience_type, segment_id,
  audience_condition, template_id, scheduled_for, content_id
from campaigns
where project_id = :project_id and id = :campaign_id
for update;

-- name: schedule :exec
update campaigns
set status = 'SCHEDULED', scheduled_for = :scheduled_for, total_recipients = :total_recipients, updated_at = :now
where project_id = :project_id and id = :campaign_id and status in ('DRAFT', 'SCHEDULED');

-- name: begin :exec
-- From here on the snapshot of the audience is being taken. A scheduled campaign that is sent early is no longer
-- scheduled.
update campaigns
set
  status           = 'SENDING',
  content_id       = :content_id,
  audience         = :audience,
  scheduled_for    = case when scheduled_for <= :now then scheduled_for end,
  total_recipients = :total_recipients,
  sent_at          = :now,
  updated_at       = :now
where project_id = :project_id and id = :campaign_id and status in ('DRAFT', 'SCHEDULED');

-- name: due_before :many
-- What else of the project was due before this one, and has not begun, in the order in which it was due.
select c.id
from campaigns c
join campaigns late on late.project_id = c.project_id and late.id = :campaign_id
where c.project_id = :project_id
  and c.status = 'SCHEDULED'
  and c.scheduled_for <= :now
  and (c.scheduled_for, c.id) < (late.scheduled_for, late.id)
order by c.scheduled_for, c.id
limit :limit::int;

-- name: unschedule :exec
-- Back to a draft: somebody wants it so, or something that it needs to be sent is gone.
update campaigns
set status = 'DRAFT', scheduled_for = null, updated_at = :now
where project_id = :project_id and id = :campaign_id and status = 'SCHEDULED';

-- name: cancel :maybe
-- Returns the status before; null when the campaign cannot be cancelled. A campaign that was only scheduled has no
-- mails: it is finished.
update campaigns c
set
  status      = 'CANCELLED',
  finished_at = case when c.status = 'SCHEDULED' then :now::timestamptz end,
  updated_at  = :now
from (
  select id, status
  from campaigns
  where project_id = :project_id and id = :campaign_id and status in ('SCHEDULED', 'SENDING')
  for no key update
) as before
where c.project_id = :project_id and c.id = before.id
returning c.name, before.status as "status!";

-- name: under_way :many
-- The campaigns that are being sent, or will be at their time, oldest first.
select id, name, status
from campaigns
where project_id = :project_id and status in ('SCHEDULED', 'SENDING') and finished_at is null
order by id;

-- name: roll_up :exec
-- Adds the deltas to the counters. A reader sums both, and sees either all of this or nothing.
with taken as (
  delete from campaign_count_deltas
  where ctid = any (array(
    select ctid
    from campaign_count_deltas
    limit :limit::int
  ))
  returning *
),
summed as (
  select
    project_id, campaign_id, sum(sent) as sent, sum(delivered) as delivered, sum(opened) as opened,
    sum(clicked) as clicked, sum(bounced) as bounced, sum(complained) as complained,
    sum(unsubscribed) as unsubscribed, sum(failed) as failed, sum(captured) as captured,
    sum(processed) as processed
  from taken
  group by project_id, campaign_id
),
held as materialized (
  select c.project_id, c.id
  from campaigns c
  join summed s on s.project_id = c.project_id and s.campaign_id = c.id
  order by c.project_id, c.id
  for no key update of c
),
rolled_up as (
  update campaigns c
  set
    sent_count         = c.sent_count + s.sent,
    delivered_count    = c.delivered_count + s.delivered,
    opened_count       = c.opened_count + s.opened,
    clicked_count      = c.clicked_count + s.clicked,
    bounced_count      = c.bounced_count + s.bounced,
    complained_count   = c.complained_count + s.complained,
    unsubscribed_count = c.unsubscribed_count + s.unsubscribed,
    failed_count       = c.failed_count + s.failed,
    captured_count     = c.captured_count + s.captured,
    processed_count    = c.processed_count + s.processed
  from summed s
  join held h on h.project_id = s.project_id and h.id = s.campaign_id
  where c.project_id = s.project_id and c.id = s.campaign_id
)
select from taken;
