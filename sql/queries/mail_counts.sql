-- name: roll_up :exec
-- Adds up to `limit` deltas to the quarters of an hour, and returns how many they were.
with taken as (
  delete from mail_count_deltas
  where ctid = any (array(select ctid from mail_count_deltas limit :limit::int))
  returning
    project_id, at, source_type, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed,
    bot_opened
),
rolled_up as (
  insert into mail_counts as c (
    project_id, at, source_type, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed,
    bot_opened
  )
  select
    t.project_id, t.at, t.source_type, t.campaign_id, sum(t.sent), sum(t.delivered), sum(t.opened), sum(t.clicked),
    sum(t.bounced), sum(t.complained), sum(t.unsubscribed), sum(t.bot_opened)
  from taken t
  join projects p on p.id = t.project_id and p.deleted_at is null
  group by t.project_id, t.at, t.source_type, t.campaign_id
  order by t.project_id, t.at, t.source_type, t.campaign_id
  on conflict (project_id, at, source_type, campaign_id) do update
  set
    sent           = c.sent + excluded.sent,
    delivered      = c.delivered + excluded.delivered,
    opened         = c.opened + excluded.opened,
    clicked        = c.clicked + excluded.clicked,
    bounced        = c.bounced + excluded.bounced,
    complained     = c.complained + excluded.complained,
    unsubscribed   = c.unsubscribed + excluded.unsubscribed,
    bot_opened = c.bot_opened + excluded.bot_opened
)
select from taken;

-- name: by_day :many
-- All that is counted of a project until before a moment, by day (UTC).
select
  (c.at at time zone 'UTC')::date as "day!",
  c.source_type as "source_type!",
  c.campaign_id as "campaign_id!",
  c.measure as "measure!",
  sum(c.count)::float8 as "count!"
from mail_counts_by_measure(:project_id) as c
where c.at < :before
group by 1, 2, 3, 4
having sum(c.count) <> 0;

-- name: page_end :maybe
-- The last of the next `limit` mails.
select id
from (
  select id
  from emails
  where project_id = :project_id and id > :after
  order by id
  limit :limit::int
) as page
order by id desc
limit 1;

-- name: facts_by_day :many
-- What the mails after one id up to another come to, until before a moment, by day (UTC).
select
  (f.at at time zone 'UTC')::date as "day!",
  f.source_type as "source_type!",
  f.campaign_id as "campaign_id!",
  f.measure as "measure!",
  count(*)::float8 as "count!"
from mail_facts(:project_id, :after, :up_to) as f
where f.at < :before
group by 1, 2, 3, 4;

-- name: faults :many
-- The days (UTC) on which the ledger and its counts differ in one of their quarters, with both.
select
  (f.at at time zone 'UTC')::date as "day!",
  f.source_type as "source_type!",
  f.campaign_id as "campaign_id!",
  f.measure as "measure!",
  sum(f.facts)::float8 as "facts!",
  sum(f.counted)::float8 as "counted!"
from mail_count_faults(:project_id, :forgets) as f
group by 1, 2, 3, 4
order by 1, 2, 3, 4
limit :limit::int;

-- name: recount :exec
-- Corrects the counts, up or down. What is written or rolled up in the meantime makes no difference: everything is read
-- in one snapshot, and the correction is a delta like any other.
insert into mail_count_deltas (
  project_id, at, source_type, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed,
  bot_opened
)
select
  :project_id,
  f.at,
  f.source_type,
  f.campaign_id,
  coalesce(sum(f.facts - f.counted) filter (where f.measure = 'sent'), 0),
  coalesce(sum(f.facts - f.counted) filter (where f.measure = 'delivered'), 0),
  coalesce(sum(f.facts - f.counted) filter (where f.measure = 'opened'), 0),
  coalesce(sum(f.facts - f.counted) filter (where f.measure = 'clicked'), 0),
  coalesce(sum(f.facts - f.counted) filter (where f.measure = 'bounced'), 0),
  coalesce(sum(f.facts - f.counted) filter (where f.measure = 'complained'), 0),
  coalesce(sum(f.facts - f.counted) filter (where f.measure = 'unsubscribed'), 0),
  coalesce(sum(f.facts - f.counted) filter (where f.measure = 'bot_opened'), 0)
from mail_count_faults(:project_id, :forgets) as f
group by f.at, f.source_type, f.campaign_id;
