-- name: add :exec
-- nullable: run_at, max_attempts, key, priority
-- Enqueues a job in the transaction that is open: it exists if and only if that one commits. A job with the same
-- key replaces the one that still waits.
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
-- Enqueues one job per payload; all of them run as soon as they can.
select graphile_worker.add_jobs(array_agg(
  row(:task, payload, null, null, null, null, :priority::int, null)::graphile_worker.job_spec
))
from json_array_elements(:payloads::json) as payload;

-- name: force_unlock :exec
-- Gives back the jobs that these dead pools of workers held.
select graphile_worker.force_unlock_workers(:pools::text[]);

-- name: overdue :one
-- Whether one of these jobs has been due for 10 s, and nobody has it.
select exists (
  select
  from graphile_worker._private_jobs j
  where j.is_available
    and j.run_at < now() - interval '10 seconds'
    and j.task_id in (select t.id from graphile_worker._private_tasks t where t.identifier = any(:tasks::text[]))
) as "overdue!";

-- name: locked_by :many
-- The jobs that these pools of workers hold.
select id::text as "id!"
from graphile_worker._private_jobs
where locked_by = any(:pools::text[]);

-- name: give_back :exec
-- Gives back jobs that these pools hold and nobody is at. The attempt came to nothing, so it does not count.
update graphile_worker._private_jobs
set locked_at = null, locked_by = null, attempts = greatest(0, attempts - 1)
where id = any(:ids::bigint[]) and locked_by = any(:pools::text[]);
