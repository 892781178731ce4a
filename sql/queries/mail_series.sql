-- What happened to mails in a range of time, read from counters. Opens and clicks are those of people, a mail once.

-- name: by_day :many
-- nullable: campaign_id
-- On each of some days (or in each of some hours), of all mails or those of one campaign: `starts` and `ends` say when they
-- begin and end, which is at the start of a quarter of an hour. Day by day it takes a fifth of the time of sorting all
-- quarters into days. The first day is 1.
select
  d.day::int as "day!",
  coalesce(m.emails, 0)::float8 as "emails!",
  coalesce(m.delivered, 0)::float8 as "delivered!",
  coalesce(m.opens, 0)::float8 as "opens!",
  coalesce(m.clicks, 0)::float8 as "clicks!",
  coalesce(m.bounces, 0)::float8 as "bounces!",
  coalesce(m.complaints, 0)::float8 as "complaints!",
  coalesce(m.bot_opens, 0)::float8 as "bot_opens!"
from unnest(
  :starts::text[]::timestamptz[], :ends::text[]::timestamptz[]
) with ordinality as d (start, stop, day)
cross join lateral (
  select
    sum(c.sent) as emails,
    sum(c.delivered) as delivered,
    sum(c.opened) as opens,
    sum(c.clicked) as clicks,
    sum(c.bounced) as bounces,
    sum(c.complained) as complaints,
    sum(c.bot_opened) as bot_opens
  from mail_counts_of(:project_id, d.start, d.stop) as c
  where :campaign_id::uuid is null or c.campaign_id = :campaign_id
) as m
order by d.day;

-- name: of_ledger :many
-- splice: filter = e.template_id = '00000000-0000-0000-0000-000000000000'
-- The same of mails that no counter tells apart, from the ledger, in one pass over them: the days (the first is 1) on which
-- something happened to any. `starts` begin the days; the last of them is the end.
select
  width_bucket(t.at, :starts::text[]::timestamptz[])::int as "day!",
  count(*) filter (where t.measure = 'sent')::float8 as "emails!",
  count(*) filter (where t.measure = 'delivered')::float8 as "delivered!",
  count(*) filter (where t.measure = 'opened')::float8 as "opens!",
  count(*) filter (where t.measure = 'clicked')::float8 as "clicks!",
  count(*) filter (where t.measure = 'bounced')::float8 as "bounces!",
  count(*) filter (where t.measure = 'complained')::float8 as "complaints!",
  count(*) filter (where t.measure = 'bot_opened')::float8 as "bot_opens!"
from emails e
cross join lateral (
  values
    ('sent', e.sent_at), ('delivered', e.delivered_at), ('opened', e.opened_at), ('clicked', e.clicked_at),
    ('bounced', e.bounced_at), ('complained', e.complained_at), ('bot_opened', e.bot_opened_at)
) as t (measure, at)
where e.project_id = :project_id
  and :filter
  and t.at >= (:starts::text[]::timestamptz[])[1]
  and t.at < (:starts::text[]::timestamptz[])[cardinality(:starts::text[])]
group by 1
order by 1;

-- name: total :one
select
  coalesce(sum(c.sent), 0)::float8 as "emails!",
  coalesce(sum(c.opened), 0)::float8 as "opens!",
  coalesce(sum(c.clicked), 0)::float8 as "clicks!"
from mail_counts_of(:project_id, :since, :until) as c;

-- name: by_tag :many
-- nullable: prefix
-- What came of the mails with ids from `since` until before `until`, for each of their tags, the most frequent first: the tags
-- that begin with a prefix, or all. The rows are those of the ledger, read in the order of their keys.
select
  t.tag as "tag!",
  count(e.sent_at)::float8 as "emails!",
  count(e.delivered_at)::float8 as "delivered!",
  count(e.opened_at)::float8 as "opens!",
  count(e.clicked_at)::float8 as "clicks!",
  count(e.bounced_at)::float8 as "bounces!",
  count(e.complained_at)::float8 as "complaints!"
from email_tags t
join emails e on e.project_id = t.project_id and e.id = t.email_id
where t.project_id = :project_id
  and t.email_id >= :since
  and t.email_id < :until
  and (:prefix::text is null or starts_with(t.tag, :prefix))
group by t.tag
order by count(e.sent_at) desc, t.tag
limit :limit::int;
