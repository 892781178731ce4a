-- name: of_workflow :many
-- The steps of a workflow in the order in which they were added, with the names of their templates.
select
  s.id, s.workflow_id, s.type, s.name, s.position, s.config, s.template_id, t.name as "template_name?"
from workflow_steps s
left join templates t on t.project_id = s.project_id and t.id = s.template_id
where s.project_id = :project_id and s.workflow_id = :workflow_id
order by s.created_at, s.id;

-- name: by_id :maybe
select id, workflow_id, type, name, position, config, template_id
from workflow_steps
where project_id = :project_id and id = :step_id;

-- name: transitions :many
select id, from_step_id, to_step_id, branch, priority
from workflow_transitions
where project_id = :project_id and workflow_id = :workflow_id
order by created_at, id;

-- name: insert :one
-- nullable: template_id
-- The order of steps is that of the clock: while the workflow is held, which `now()` may be older than.
insert into workflow_steps (project_id, workflow_id, type, name, position, config, template_id, created_at)
values (
  :project_id, :workflow_id, :type, :name, :position, :config, :template_id, clock_timestamp()
)
returning id, workflow_id, type, name, position, config, template_id;

-- name: update :one
-- nullable: template_id
update workflow_steps
set name = :name, position = :position, config = :config, template_id = :template_id
where project_id = :project_id and id = :step_id
returning id, workflow_id, type, name, position, config, template_id;

-- name: remove :exec
-- Its transitions go with it.
delete from workflow_steps
where project_id = :project_id and id = :step_id;

-- name: connect :one
-- nullable: branch
insert into workflow_transitions (
  project_id, workflow_id, from_step_id, to_step_id, branch, priority, created_at
)
values (:project_id, :workflow_id, :from, :to, :branch, :priority, clock_timestamp())
returning id, from_step_id, to_step_id, branch, priority;

-- name: redirect :exec
-- These transitions lead to another step from now on.
update workflow_transitions
set to_step_id = :to
where project_id = :project_id and workflow_id = :workflow_id and id = any(:transition_ids::uuid[]);

-- name: disconnect :exec
delete from workflow_transitions
where project_id = :project_id and workflow_id = :workflow_id and id = :transition_id;
