-- name: by_id :maybe
select
  id, name, description, enabled, trigger_type, trigger_config, allow_reentry, project_id, created_at, updated_at
from workflows
where project_id = :project_id and id = :workflow_id;

-- name: with_graph :maybe
-- A workflow with its steps, in the order in which they were added, with the names of their templates, and with its
-- transitions: all as they are at the same moment.
select
  w.id, w.name, w.description, w.enabled, w.trigger_type, w.trigger_config, w.allow_reentry, w.project_id, w.created_at,
  w.updated_at, w.graph_version, w.graph_edited_at, w.graph_edited_by,
  (
    select coalesce(json_agg(json_build_object(
      'id', s.id,
      'workflowId', s.workflow_id,
      'type', s.type,
      'name', s.name,
      'position', s.position,
      'config', s.config,
      'templateId', s.template_id,
      'templateName', t.name
    ) order by s.created_at, s.id), '[]')
    from workflow_steps s
    left join templates t on t.project_id = s.project_id and t.id = s.template_id
    where s.project_id = w.project_id and s.workflow_id = w.id
  ) as "steps!",
  (
    select coalesce(json_agg(json_build_object(
      'id', t.id,
      'fromStepId', t.from_step_id,
      'toStepId', t.to_step_id,
      'branch', t.branch,
      'priority', t.priority
    ) order by t.created_at, t.id), '[]')
    from workflow_transitions t
    where t.project_id = w.project_id and t.workflow_id = w.id
  ) as "transitions!"
from workflows w
where w.project_id = :project_id and w.id = :workflow_id;

-- name: list :many
-- nullable: enabled, pattern
-- One page, with how many steps and executions each has, and how many of these are in progress, counted up to `up_to`. A
-- project has hundreds of workflows, and not millions: sorting them all costs little. What is counted is read from indexes.
select
  w.id, w.name, w.description, w.enabled, w.trigger_type, w.trigger_config, w.allow_reentry, w.project_id, w.created_at,
  w.updated_at,
  (
    select count(*) from workflow_steps s where s.project_id = w.project_id and s.workflow_id = w.id
  )::int as "steps!",
  (
    select count(*) from executions e where e.project_id = w.project_id and e.workflow_id = w.id
  )::int as "executions!",
  (
    select count(*)
    from (
      select
      from executions e
      where e.project_id = w.project_id and e.workflow_id = w.id and e.status in ('RUNNING', 'WAITING')
      limit :up_to::int
    ) as under_way
  )::int as "active!"
from (
  select *
  from workflows k
  where k.project_id = :project_id
    and (:enabled::boolean is null or k.enabled = :enabled)
    and (:pattern::text is null or k.name ilike :pattern or k.description ilike :pattern)
  order by
    case when :sort = 'name' and :dir = 'asc' then lower(k.name) end,
    case when :sort = 'name' and :dir = 'desc' then lower(k.name) end desc,
    case when :sort = 'createdAt' and :dir = 'asc' then k.created_at end,
    case when :sort = 'createdAt' and :dir = 'desc' then k.created_at end desc,
    case when :sort = 'updatedAt' and :dir = 'asc' then k.updated_at end,
    case when :sort = 'updatedAt' and :dir = 'desc' then k.updated_at end desc,
    case when :dir = 'asc' then k.id end,
    k.id desc
  limit :limit::int
  offset :offset::int
) as w
order by
  case when :sort = 'name' and :dir = 'asc' then lower(w.name) end,
  case when :sort = 'name' and :dir = 'desc' then lower(w.name) end desc,
  case when :sort = 'createdAt' and :dir = 'asc' then w.created_at end,
  case when :sort = 'createdAt' and :dir = 'desc' then w.created_at end desc,
  case when :sort = 'updatedAt' and :dir = 'asc' then w.updated_at end,
  case when :sort = 'updatedAt' and :dir = 'desc' then w.updated_at end desc,
  case when :dir = 'asc' then w.id end,
  w.id desc;

-- name: count :one
-- nullable: enabled, pattern
select count(*)::int as "total!"
from workflows
where project_id = :project_id
  and (:enabled::boolean is null or enabled = :enabled)
  and (:pattern::text is null or name ilike :pattern or description ilike :pattern);

-- name: insert :one
-- nullable: description
-- A workflow that starts at an event, disabled, with its one trigger.
with made as (
  insert into workflows (project_id, name, description, trigger_type, trigger_config, allow_reentry)
  values (:project_id, :name, :description, 'EVENT', :trigger_config, :allow_reentry)
  returning *
),
trigger as (
  insert into workflow_steps (project_id, workflow_id, type, name)
  select project_id, id, 'TRIGGER', 'Trigger'
  from made
)
select
  id as "id!", name as "name!", description, enabled as "enabled!", trigger_type as "trigger_type!", trigger_config,
  allow_reentry as "allow_reentry!", project_id as "project_id!", created_at as "created_at!",
  updated_at as "updated_at!"
from made;

-- name: lock :maybe
-- The workflow, held until the end of the transaction: all changes of one are made one after another. Who only refers
-- to it, as an execution that begins, does not wait.
select
  name, description, enabled, trigger_type, trigger_config, allow_reentry, version_id, graph_version, next_run_at
from workflows
where project_id = :project_id and id = :workflow_id
for no key update;

-- name: lock_for_deletion :maybe
-- Locked against everybody: an execution that starts in the meantime waits, and then finds no workflow.
select id
from workflows
where project_id = :project_id and id = :workflow_id
for update;

-- name: update :one
-- nullable: description, trigger_config, next_run_at
-- Its time stays where this is what it was.
update workflows
set
  name           = :name,
  description    = :description,
  enabled        = :enabled,
  trigger_type   = :trigger_type,
  trigger_config = :trigger_config,
  allow_reentry  = :allow_reentry,
  next_run_at    = :next_run_at,
  updated_at     = case
    when (name, description, enabled, trigger_type, trigger_config, allow_reentry)
      is distinct from (:name, :description, :enabled, :trigger_type, :trigger_config, :allow_reentry) then now()
    else updated_at
  end
where project_id = :project_id and id = :workflow_id
returning
  id, name, description, enabled, trigger_type, trigger_config, allow_reentry, project_id, created_at, updated_at;

-- name: mark_edited :exec
-- The graph is another one now: its version is made when it is next needed. `is_next`: it is the next one of what the workflow was.
with superseded as (
  update workflow_versions v
  set superseded_at = now()
  from workflows w
  where w.project_id = :project_id
    and w.id = :workflow_id
    and v.project_id = w.project_id
    and v.id = w.version_id
)
update workflows
set
  version_id      = null,
  updated_at      = now(),
  graph_version   = graph_version + case when :is_next::boolean then 1 else 0 end,
  graph_edited_at = clock_timestamp(),
  graph_edited_by = nullif(current_setting('postrider.editor', true), '')
where project_id = :project_id and id = :workflow_id;

-- name: set_version :exec
update workflows
set version_id = :version_id
where project_id = :project_id and id = :workflow_id;

-- name: count_active :one
-- How many executions are in progress, counted up to `limit`.
select count(*)::int as "total!"
from (
  select
  from executions
  where project_id = :project_id and workflow_id = :workflow_id and status in ('RUNNING', 'WAITING')
  limit :limit::int
) as active;

-- name: remove :exec
delete from workflows
where project_id = :project_id and id = :workflow_id;

-- name: duplicate :maybe
-- A new workflow with the same trigger, steps and transitions, disabled. Null when there is nothing to copy.
with made as (
  insert into workflows (project_id, name, description, trigger_type, trigger_config, allow_reentry)
  select project_id, :name, description, trigger_type, trigger_config, allow_reentry
  from workflows
  where project_id = :project_id and id = :workflow_id
  returning *
),
new_ids as materialized (
  select id, uuid_v7() as new_id
  from workflow_steps
  where project_id = :project_id and workflow_id = :workflow_id
),
steps as (
  insert into workflow_steps (
    project_id, id, workflow_id, type, name, position, config, template_id, created_at
  )
  select s.project_id, n.new_id, m.id, s.type, s.name, s.position, s.config, s.template_id, s.created_at
  from new_ids n
  join workflow_steps s on s.project_id = :project_id and s.id = n.id
  cross join made m
),
transitions as (
  insert into workflow_transitions (
    project_id, workflow_id, from_step_id, to_step_id, branch, priority, created_at
  )
  select t.project_id, m.id, f.new_id, o.new_id, t.branch, t.priority, t.created_at
  from workflow_transitions t
  join new_ids f on f.id = t.from_step_id
  join new_ids o on o.id = t.to_step_id
  cross join made m
  where t.project_id = :project_id and t.workflow_id = :workflow_id
),
named as (
  insert into workflow_references (project_id, kind, name, step_id, workflow_id)
  select r.project_id, r.kind, r.name, n.new_id, m.id
  from new_ids n
  join workflow_references r on r.project_id = :project_id and r.step_id = n.id
  cross join made m
)
select
  id as "id!", name as "name!", description, enabled as "enabled!", trigger_type as "trigger_type!", trigger_config,
  allow_reentry as "allow_reentry!", project_id as "project_id!", created_at as "created_at!",
  updated_at as "updated_at!"
from made;
