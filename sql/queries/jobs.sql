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
