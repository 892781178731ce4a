-- name: add :exec
-- nullable: run_at, max_attempts, key, priority
-- Enqueues a job in the open transaction: it exists if and only if that commits. A job with the same key replaces the
-- one that is still waiting.
select graphile_worker.add_job(
  :task,
  payload      => :payload::json,
  run_at       => :run_at,
  max_attempts => :max_attempts,
  job_key      => :key,
  priority     => :priority::int
);

-- name: add_many :exec
-- nullable: priority
-- Enqueues one job per payload; all of them run as soon as they can, in this order: graphile-worker joins them with its tasks
-- in any order, so each is due a microsecond after the one before.
select graphile_worker.add_jobs(array_agg(
  row(
    :task, payload, null, now() + (p.place - 1) * interval '1 microsecond', null, null, :priority::int, null
  )::graphile_worker.job_spec
))
from json_array_elements(:payloads::json) with ordinality as p (payload, place);

-- name: add_timed :exec
-- Enqueues jobs that are due at a time. `jobs` holds `{payload, run_at, priority}`.
select graphile_worker.add_jobs(array_agg(
  row(:task, payload, null, run_at, null, null, priority, null)::graphile_worker.job_spec
))
from json_to_recordset(:jobs::json) as r (payload json, run_at timestamptz, priority int);

-- name: add_keyed :exec
-- Enqueues jobs that run as soon as they can. One with the same key that still waits is replaced.
select graphile_worker.add_jobs(array_agg(
  row(:task, payload, null, null, null, key, null::int, null)::graphile_worker.job_spec
))
from json_to_recordset(:jobs::json) as r (key text, payload json);

-- name: remove :exec
-- Takes the job with this key out of the queue, if it still waits there.
select graphile_worker.remove_job(:key);

-- name: force_unlock :exec
-- Gives back the jobs that these dead pools of workers held.
select graphile_worker.force_unlock_workers(:pools::text[]);

-- name: overdue :one
-- Whether one of these jobs has been due for that long and is not being worked on.
select exists (
  select
  from queued_jobs() as j
  where j.is_available
    and j.run_at < now() - :stale_ms::int * interval '1 millisecond'
    and j.task = any(:tasks::text[])
) as "overdue!";

-- name: at_work :one
-- Whether the server is still executing something that one of these connections has asked for.
select exists (select from pg_stat_activity where pid = any(:pids::int[]) and state = 'active') as "at_work!";

-- name: held :many
-- The jobs that these pools of workers hold, and those of pools that no process names: it ended before it could say that it had
-- them.
select id::text as "id!", locked_by as "pool!"
from graphile_worker.jobs
where locked_by is not null
  and (locked_by = any(:pools::text[]) or locked_by <> all (array(select unnest(pools) from workers)));

-- name: give_back :exec
-- Gives back jobs that these pools hold and do not run.
select give_back_jobs(:ids::bigint[], :pools::text[]);

-- name: has_later :one
-- Whether the crontab has enqueued the same task again, after this job, and that one is being done or will be. Payloads of
-- other tasks are not looked into: there may be many, and large ones.
select exists (
  select
  from queued_jobs() as j
  where j.id > :id::bigint
    and (j.is_available or j.locked_by is not null)
    and case when j.task = :task then j.payload -> '_cron' is not null end
) as "has_later!";
