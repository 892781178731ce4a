-- name: events :one
-- Every event of some days (UTC), both among them.
select coalesce(sum(c.count), 0)::float8 as "events!"
from event_counts_of(:project_id, :first_day::text::date, :last_day::text::date) as c;

-- name: executions :one
-- Every execution that began on these days.
select coalesce(sum(c.started), 0)::float8 as "executions!"
from execution_counts_of(:project_id, :first_day::text::date, :last_day::text::date) as c;
