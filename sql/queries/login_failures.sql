-- name: take :maybe
-- Counts a failure before it is known to be one, so that concurrent guesses are counted too. Null, and nothing is
-- counted, when there were `allowed` since `since`.
insert into login_failures as f (key, failed_at)
values (:key, array[:now::timestamptz])
on conflict (key) do update
set failed_at =
  array(select t from unnest(f.failed_at) as t where t > :since::timestamptz order by t) || excluded.failed_at
where (select count(*) from unnest(f.failed_at) as t where t > :since::timestamptz) < :allowed::int
returning cardinality(failed_at) as "failures!";

-- name: give_back :exec
-- It was none.
update login_failures
set failed_at =
  failed_at[1 : array_position(failed_at, :at::timestamptz) - 1]
  || failed_at[array_position(failed_at, :at::timestamptz) + 1 : cardinality(failed_at)]
where key = :key and :at::timestamptz = any (failed_at);

-- name: that_locks :maybe
-- The failure that has to grow old before another one is allowed. Null when one is allowed now.
select t as "failed_at!"
from login_failures f, unnest(f.failed_at) as t
where f.key = :key and t > :since::timestamptz
order by t desc
offset :allowed::int - 1
limit 1;

-- name: purge :exec
delete from login_failures
where key in (
  select key
  from login_failures
  where coalesce(failed_at[cardinality(failed_at)], '-infinity') <= :before
  limit :limit::int
);

-- name: forget :exec
delete from login_failures
where key = :key;
