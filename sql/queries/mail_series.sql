-- What became of mails in a range of time, read from counters. Opens and clicks are those of people, a mail once.

-- name: by_day :many
-- On each of some days that follow each other: `starts` says when each of them begins, which is at the start of a quarter
-- of an hour; they are read once, and not for every quarter. Days without anything are left out; the first is 1.
select
  width_bucket(c.at, d.starts) as "day!",
  sum(c.sent)::float8 as "emails!",
  sum(c.delivered)::float8 as "delivered!",
  sum(c.opened)::float8 as "opens!",
  sum(c.clicked)::float8 as "clicks!",
  sum(c.bounced)::float8 as "bounces!",
  sum(c.complained)::float8 as "complaints!",
  sum(c.machine_opened)::float8 as "machine_opens!"
from mail_counts_of(:project_id, :since, :until) as c
cross join (select :starts::text[]::timestamptz[] as starts offset 0) as d
group by 1;

-- name: total :one
select
  coalesce(sum(c.sent), 0)::float8 as "emails!",
  coalesce(sum(c.opened), 0)::float8 as "opens!",
  coalesce(sum(c.clicked), 0)::float8 as "clicks!"
from mail_counts_of(:project_id, :since, :until) as c;
