-- name: due :maybe
-- What a webhook step is about. Null when the step or its execution has ended, or is being deleted.
select
  s.output,
  (
    select step -> 'config'
    from jsonb_array_elements(v.graph -> 'steps') as step
    where step ->> 'id' = s.step_id::text
  ) as config,
  e.context,
  e.started_at,
  w.id as workflow_id,
  w.name as workflow_name,
  c.id as contact_id,
  c.email,
  c.subscribed,
  c.data,
  p.disabled_at is not null as "is_held!"
from step_executions s
join executions e on e.project_id = s.project_id and e.id = s.execution_id
join workflow_versions v on v.project_id = e.project_id and v.id = e.version_id
join workflows w on w.project_id = e.project_id and w.id = e.workflow_id
join contacts c on c.project_id = e.project_id and c.id = e.contact_id
join projects p on p.id = s.project_id and p.deleted_at is null
where s.project_id = :project_id
  and s.id = :step_execution_id
  and s.status = 'RUNNING'
  and e.status in ('RUNNING', 'WAITING')
  and not exists (select from reset_of(e));

-- name: note_attempt :exec
-- A failed attempt that is not the last. 0 when the step or its execution has ended, or when another run of the same
-- job has noted one more since. Rows are locked in the usual order: the execution, then its step.
with held as (
  select e.project_id, e.id
  from executions e
  where e.project_id = :project_id and e.id = :execution_id and e.status in ('RUNNING', 'WAITING')
  for no key update
),
noted as (
  update step_executions s
  set output = :output
  from held h
  where s.project_id = h.project_id
    and s.execution_id = h.id
    and s.id = :step_execution_id
    and s.status = 'RUNNING'
    and coalesce(jsonb_array_length(s.output -> 'attempts'), 0) = :attempts::int
  returning s.project_id, s.execution_id
)
update executions e
set wake_at = :next_attempt_at
from noted n
where e.project_id = n.project_id and e.id = n.execution_id;

-- name: enqueue_once :exec
-- Enqueues a call, unless one is waiting already: that one keeps its time.
select graphile_worker.add_job(
  'call_webhook',
  payload      => :payload::json,
  job_key      => :key,
  job_key_mode => 'preserve_run_at'
);

-- name: dequeue :exec
-- Takes a call out of the queue that waits there with this key.
select graphile_worker.remove_job(:key);
