-- name: by_id :maybe
select id, workflow_id, type, name, position, config, template_id
from workflow_steps
where project_id = :project_id and id = :step_id;

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
