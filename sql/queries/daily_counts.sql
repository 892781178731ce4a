-- name: add :many
-- Adds one to today's count of each of these keys. Returns the new counts.
insert into daily_counts as c (key, day, count)
select key, (:now::timestamptz at time zone 'UTC')::date, 1
from unnest(:keys::text[]) as key
order by key
on conflict (key, day) do update
set count = c.count + 1
returning key, count;

-- name: purge :exec
-- Those of days that are over.
delete from daily_counts
where day < (:now::timestamptz at time zone 'UTC')::date - 1;
