-- name: by_id :maybe
-- One execution of a workflow, with whom it is for.
select
  e.id, e.workflow_id, e.contact_id, e.status, e.current_step_id, e.exit_reason, e.context, e.started_at,
  e.completed_at, e.version_id, c.email as "contact_email?", w.name as workflow_name
from executions e
join workflows w on w.project_id = e.project_id and w.id = e.workflow_id
left join contacts c on c.project_id = e.project_id and c.id = e.contact_id
where e.project_id = :project_id and e.workflow_id = :workflow_id and e.id = :execution_id;

-- name: history :many
-- What happened to each step of an execution, in the order in which it came to them.
select id, execution_id, step_id, status, output, error, started_at, completed_at
from step_executions
where project_id = :project_id and execution_id = :execution_id
order by seq;

-- name: graph :maybe
-- By which graph an execution goes, and which version of its workflow that is; null if that was before they had numbers.
select v.graph, v.graph_version as version
from executions e
join workflow_versions v on v.project_id = e.project_id and v.id = e.version_id
where e.project_id = :project_id and e.workflow_id = :workflow_id and e.id = :execution_id;

-- name: list :many
-- One page of the executions of a workflow that began in a period, newest first.
select
  e.id, e.workflow_id, e.contact_id, e.status, e.current_step_id, e.exit_reason, e.context, e.started_at,
  e.completed_at, e.version_id, c.email as "contact_email?"
from (
  select *
  from executions x
  where x.project_id = :project_id and x.workflow_id = :workflow_id
    and x.id >= :from_id and x.id < :until_id
  order by x.id desc
  limit :limit::int
  offset :offset::int
) as e
left join contacts c on c.project_id = e.project_id and c.id = e.contact_id
order by e.id desc;

-- name: list_by_status :many
-- The same for executions in one state. A separate statement, because one plan could not serve both.
select
  e.id, e.workflow_id, e.contact_id, e.status, e.current_step_id, e.exit_reason, e.context, e.started_at,
  e.completed_at, e.version_id, c.email as "contact_email?"
from (
  select *
  from executions x
  where x.project_id = :project_id and x.workflow_id = :workflow_id and x.status = :status
    and x.id >= :from_id and x.id < :until_id
  order by x.id desc
  limit :limit::int
  offset :offset::int
) as e
left join contacts c on c.project_id = e.project_id and c.id = e.contact_id
order by e.id desc;

-- name: at_step :many
-- nullable: status
-- The same for those that are at a step.
select
  e.id, e.workflow_id, e.contact_id, e.status, e.current_step_id, e.exit_reason, e.context, e.started_at,
  e.completed_at, e.version_id, c.email as "contact_email?"
from (
  select *
  from executions x
  where x.project_id = :project_id and x.workflow_id = :workflow_id and x.current_step_id = :step_id
    and x.status in ('RUNNING', 'WAITING')
    and (:status::execution_status is null or x.status = :status)
    and x.id >= :from_id and x.id < :until_id
  order by x.id desc
  limit :limit::int
  offset :offset::int
) as e
left join contacts c on c.project_id = e.project_id and c.id = e.contact_id
order by e.id desc;

-- name: of_contact :many
-- nullable: status, step_id
-- All executions of a workflow for one contact, newest first: there are few.
select
  e.id, e.workflow_id, e.contact_id, e.status, e.current_step_id, e.exit_reason, e.context, e.started_at,
  e.completed_at, e.version_id, c.email as "contact_email?"
from executions e
left join contacts c on c.project_id = e.project_id and c.id = e.contact_id
where e.project_id = :project_id and e.contact_id = :contact_id and e.workflow_id = :workflow_id
  and (:status::execution_status is null or e.status = :status)
  and (:step_id::uuid is null or e.current_step_id = :step_id and e.status in ('RUNNING', 'WAITING'))
  and e.id >= :from_id and e.id < :until_id
order by e.id desc
limit :up_to::int;

-- name: newest_of_contact :many
-- The newest executions of a contact: of one contact there are few.
select e.id, e.workflow_id, w.name as workflow_name, e.status, e.started_at, e.completed_at
from executions e
join workflows w on w.project_id = e.project_id and w.id = e.workflow_id
where e.project_id = :project_id and e.contact_id = :contact_id
order by e.id desc
limit :limit::int;

-- name: count :one
-- How many executions a workflow has, counted up to `up_to`.
select count(*)::int as "total!"
from (
  select
  from executions
  where project_id = :project_id and workflow_id = :workflow_id
    and id >= :from_id and id < :until_id
  limit :up_to::int
) as counted;

-- name: count_by_status :one
select count(*)::int as "total!"
from (
  select
  from executions
  where project_id = :project_id and workflow_id = :workflow_id and status = :status
    and id >= :from_id and id < :until_id
  limit :up_to::int
) as counted;

-- name: count_at_step :one
-- nullable: status
select count(*)::int as "total!"
from (
  select
  from executions
  where project_id = :project_id and workflow_id = :workflow_id and current_step_id = :step_id
    and status in ('RUNNING', 'WAITING')
    and (:status::execution_status is null or status = :status)
    and id >= :from_id and id < :until_id
  limit :up_to::int
) as counted;

-- name: active :many
-- Some executions of a workflow that are in progress and began by `until`.
select id
from executions
where project_id = :project_id
  and workflow_id = :workflow_id
  and status in ('RUNNING', 'WAITING')
  and started_at <= :until
limit :limit::int;

-- name: hold_active :many
-- Holds those of these executions that are in progress.
select id
from executions
where project_id = :project_id
  and workflow_id = :workflow_id
  and id = any(:execution_ids::uuid[])
  and status in ('RUNNING', 'WAITING')
order by id
for update;

-- name: cancel :exec
-- Ends executions that the caller holds, permanently. Their waits are deleted, and open entries of their histories are
-- closed. After waiting for a lock, a transaction sees the wait and the history only in a later statement: this one.
with theirs as materialized (
  select project_id, id, step_execution_id
  from executions
  where project_id = :project_id and id = any(:execution_ids::uuid[]) and status in ('RUNNING', 'WAITING')
),
cancelled as (
  update executions e
  set
    status            = 'CANCELLED',
    exit_reason       = 'Cancelled',
    step_execution_id = null,
    wake_at           = null,
    revision          = e.revision + 1,
    completed_at      = :now
  from theirs t
  where e.project_id = t.project_id and e.id = t.id
),
let_go as (
  delete from waits w
  using theirs t
  where w.project_id = t.project_id and w.execution_id = t.id
)
update step_executions s
set status = 'FAILED', error = 'The execution was cancelled', completed_at = :now
from theirs t
where s.project_id = t.project_id and s.id = t.step_execution_id;
