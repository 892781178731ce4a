-- What became of mails in a range of time, read from counters. Opens and clicks are those of people, a mail once.

-- name: by_day :many
-- On each of some days: `starts` and `ends` say when they begin and end, which is at the start of a quarter of an hour.
-- Day by day it takes a fifth of the time of sorting all quarters into days. The first day is 1.
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
) as m
order by d.day;

-- name: total :one
select
  coalesce(sum(c.sent), 0)::float8 as "emails!",
  coalesce(sum(c.opened), 0)::float8 as "opens!",
  coalesce(sum(c.clicked), 0)::float8 as "clicks!"
from mail_counts_of(:project_id, :since, :until) as c;
