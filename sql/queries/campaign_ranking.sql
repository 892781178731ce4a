-- Outcomes of campaigns by their counters: those of the row, and the deltas that are not rolled up yet. A project has
-- hundreds of campaigns, not millions.

-- name: top :many
-- Those that were sent, the best first by a metric: of equals the larger one, then the newer one.
select
  c.id, c.name, c.subject, t.sent as "sent_count!", t.opened as "opened_count!", t.clicked as "clicked_count!"
from campaigns c
left join (
  select campaign_id, sum(sent) as sent, sum(opened) as opened, sum(clicked) as clicked
  from campaign_count_deltas
  where project_id = :project_id
  group by campaign_id
) as d on d.campaign_id = c.id
cross join lateral (
  select
    (c.sent_count + coalesce(d.sent, 0))::int as sent,
    (c.opened_count + coalesce(d.opened, 0))::int as opened,
    (c.clicked_count + coalesce(d.clicked, 0))::int as clicked
) as t
where c.project_id = :project_id and t.sent > 0
order by
  case :metric
    when 'opens' then t.opened
    when 'clicks' then t.clicked
    when 'openRate' then t.opened::float8 / t.sent
    when 'clickRate' then t.clicked::float8 / t.sent
  end desc,
  t.sent desc,
  c.id desc
limit :limit::int;

-- name: total :one
-- All campaigns of a project. Under way are those that are scheduled or being sent.
select
  count(*)::int as "total!",
  count(*) filter (where c.status in ('SCHEDULED', 'SENDING'))::int as "active!",
  count(*) filter (where c.status = 'SENT')::int as "completed!",
  coalesce(sum(c.sent_count + coalesce(d.sent, 0)), 0)::float8 as "sent!",
  coalesce(sum(c.opened_count + coalesce(d.opened, 0)), 0)::float8 as "opened!",
  coalesce(sum(c.clicked_count + coalesce(d.clicked, 0)), 0)::float8 as "clicked!"
from campaigns c
left join (
  select campaign_id, sum(sent) as sent, sum(opened) as opened, sum(clicked) as clicked
  from campaign_count_deltas
  where project_id = :project_id
  group by campaign_id
) as d on d.campaign_id = c.id
where c.project_id = :project_id;
