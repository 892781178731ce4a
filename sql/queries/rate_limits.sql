-- name: take :many
-- Takes requests from the current minute of several projects at once. `used` is what all processes took, this one
-- included. A process whose clock is behind joins the newer minute instead of reopening the old one.
insert into rate_limits as r (project_id, minute, used)
select project_id, :minute::int, requests
from unnest(:project_ids::uuid[], :requests::int[]) as wanted (project_id, requests)
order by project_id
on conflict (project_id) do update
set
  used   = case when excluded.minute > r.minute then excluded.used else r.used + excluded.used end,
  minute = greatest(r.minute, excluded.minute)
returning project_id, minute, used;

-- name: take_by_users :many
-- The same of users, who act for no project.
insert into user_rate_limits as r (user_id, minute, used)
select user_id, :minute::int, requests
from unnest(:user_ids::uuid[], :requests::int[]) as wanted (user_id, requests)
order by user_id
on conflict (user_id) do update
set
  used   = case when excluded.minute > r.minute then excluded.used else r.used + excluded.used end,
  minute = greatest(r.minute, excluded.minute)
returning user_id, minute, used;

-- name: purge :exec
-- Of users of whom nothing was heard in the last minutes.
delete from user_rate_limits
where minute < :minute::int - 10;
