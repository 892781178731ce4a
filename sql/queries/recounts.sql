-- name: projects :many
-- The next projects in the order of their ids.
select id
from projects
where id > :after and deleted_at is null
order by id
limit :limit::int;

-- name: hold :exec
-- Only one process at a time recounts the events, mails or executions of a project: two would both add the correction.
-- It has no time limit.
select pg_advisory_xact_lock(recounting(:project_id, :kind)), set_config('statement_timeout', '0', true);

-- name: try_hold :one
-- The same without waiting: whether nobody else is recounting.
select pg_try_advisory_xact_lock(recounting(:project_id, :kind)) as "is_mine!";

-- name: keep_out_rollup :exec
-- Waits for a roll-up that is in progress, and blocks others until the commit.
select pg_advisory_xact_lock(counts_rollup_lock());

-- name: take_time :exec
-- For the rest of this transaction no statement is ended because of its length.
select set_config('statement_timeout', '0', true);
