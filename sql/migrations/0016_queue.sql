create function queued_jobs()
returns table (
  id bigint, task text, payload json, key text, run_at timestamptz, attempts smallint, max_attempts smallint,
  is_available boolean, locked_by text
)
language sql stable parallel safe as $$
  select j.id, t.identifier, j.payload, j.key, j.run_at, j.attempts, j.max_attempts, j.is_available, j.locked_by
  from graphile_worker._private_jobs j
  join graphile_worker._private_tasks t on t.id = j.task_id
$$;
comment on function queued_jobs is
'The jobs of the queue. The view of graphile-worker has neither payloads, which tell whose job it is, nor
`is_available`, the condition of the index that finds due jobs. So two functions read its private tables, and no
statement does. Postgres inlines this one. Its body is a string that is not parsed in advance: otherwise a later version
of the library could not alter the tables.';

create function give_back_jobs(ids bigint[], pools text[]) returns void
language plpgsql as $$
begin
  with given as (
    update graphile_worker._private_jobs j
    set locked_at = null, locked_by = null, attempts = greatest(0, j.attempts - 1)
    where j.id = any(ids) and j.locked_by = any(pools)
    returning j.job_queue_id
  )
  update graphile_worker._private_job_queues line
  set locked_at = null, locked_by = null
  from given
  where line.id = given.job_queue_id and line.locked_by = any(pools);
end $$;
comment on function give_back_jobs is
'Gives back jobs that these pools of workers hold but do not run, with the named queues that these jobs are in. They
were never run, so the attempt does not count. `force_unlock_workers` gives back all jobs of a pool, and counts the
attempt.';
