-- name: list :many
-- The links of a campaign that people followed, the most followed first.
select f.link as "link!", sum(f.clicks)::int as "clicks!", sum(f.first_clicks)::int as "first_clicks!"
from (
  select link, clicks, first_clicks
  from campaign_links
  where project_id = :project_id and campaign_id = :campaign_id
  union all
  select link, clicks, first_clicks
  from campaign_link_deltas
  where project_id = :project_id and campaign_id = :campaign_id
) as f
group by f.link
order by sum(f.clicks) desc, f.link
limit :limit::int;

-- name: roll_up :exec
-- Adds up to `limit` deltas to the counts.
with taken as (
  delete from campaign_link_deltas
  where ctid = any (array(
    select ctid
    from campaign_link_deltas
    limit :limit::int
  ))
  returning project_id, campaign_id, link, clicks, first_clicks
),
summed as (
  select t.project_id, t.campaign_id, t.link, sum(t.clicks) as clicks, sum(t.first_clicks) as first_clicks
  from taken t
  join projects p on p.id = t.project_id and p.deleted_at is null
  group by 1, 2, 3
),
held as materialized (
  select c.project_id, c.id
  from campaigns c
  where (c.project_id, c.id) in (select project_id, campaign_id from summed)
  order by c.project_id, c.id
  for key share
),
rolled_up as (
  insert into campaign_links as l (project_id, campaign_id, link_key, link, clicks, first_clicks)
  select s.project_id, s.campaign_id, md5(s.link)::uuid, s.link, s.clicks, s.first_clicks
  from summed s
  join held h on h.project_id = s.project_id and h.id = s.campaign_id
  order by 1, 2, 3
  on conflict (project_id, campaign_id, link_key) do update
  set clicks = l.clicks + excluded.clicks, first_clicks = l.first_clicks + excluded.first_clicks
)
select from taken;

-- name: series :many
-- What happened to the mails of a campaign, hour by hour (UTC): the hours in which something did.
select
  date_trunc('hour', c.at) as "hour!",
  sum(c.sent)::int as "sent!",
  sum(c.delivered)::int as "delivered!",
  sum(c.opened)::int as "opened!",
  sum(c.clicked)::int as "clicked!",
  sum(c.bounced)::int as "bounced!",
  sum(c.complained)::int as "complained!",
  sum(c.unsubscribed)::int as "unsubscribed!"
from mail_counts_of(:project_id, :since, :until) as c
where c.campaign_id = :campaign_id
group by 1
order by 1;
