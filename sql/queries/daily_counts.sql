-- name: add :many
-- One more today, for each of these keys. Answers how many there are now.
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
