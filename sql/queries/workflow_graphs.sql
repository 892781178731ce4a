-- name: save_steps :many
-- nullable: rows.template_id
-- Makes the steps of a workflow these, in their order, and returns their ids: an id that another workflow has is missing.
-- What is not among them goes, with its transitions. `rows` holds `{n, id, type, name, position, config, template_id}`.
with given as (
  select *
  from json_to_recordset(:rows::json) as r (
    n int, id uuid, type text, name text, position jsonb, config jsonb, template_id uuid
  )
),
gone as (
  delete from workflow_steps s
  where s.project_id = :project_id and s.workflow_id = :workflow_id and s.id not in (select id from given)
)
insert into workflow_steps as s (
  project_id, id, workflow_id, type, name, position, config, template_id, created_at
)
select
  :project_id, g.id, :workflow_id, g.type, g.name, g.position, g.config, g.template_id,
  clock_timestamp() + g.n * interval '1 microsecond'
from given g
on conflict (project_id, id) do update
set name = excluded.name, position = excluded.position, config = excluded.config, template_id = excluded.template_id
where s.workflow_id = :workflow_id
returning s.id;

-- name: save_transitions :exec
-- nullable: rows.branch
-- Makes the transitions of a workflow these. One that was there, by its ends and its branch, keeps its id.
with given as (
  select *
  from json_to_recordset(:rows::json) as r (n int, "from" uuid, "to" uuid, branch text, priority int)
),
gone as (
  delete from workflow_transitions t
  where t.project_id = :project_id
    and t.workflow_id = :workflow_id
    and not exists (
      select
      from given g
      where g."from" = t.from_step_id and coalesce(g.branch, '') = coalesce(t.branch, '')
    )
)
insert into workflow_transitions as t (
  project_id, workflow_id, from_step_id, to_step_id, branch, priority, created_at
)
select
  :project_id, :workflow_id, g."from", g."to", g.branch, g.priority,
  clock_timestamp() + g.n * interval '1 microsecond'
from given g
on conflict (project_id, workflow_id, from_step_id, coalesce(branch, '')) do update
set to_step_id = excluded.to_step_id, priority = excluded.priority
where (t.to_step_id, t.priority) <> (excluded.to_step_id, excluded.priority);

-- name: save_references :exec
-- The steps of a workflow, but for its trigger, refer to these segments and events, and to nothing else. `rows` holds
-- `{kind, name, step_id}`.
with named as (
  select distinct kind, name, step_id
  from json_to_recordset(:rows::json) as r (kind text, name text, step_id uuid)
),
gone as (
  delete from workflow_references r
  using workflow_steps s
  where s.project_id = :project_id
    and s.workflow_id = :workflow_id
    and s.type <> 'TRIGGER'
    and r.project_id = s.project_id
    and r.step_id = s.id
    and (r.kind, r.name, r.step_id) not in (select kind, name, step_id from named)
)
insert into workflow_references (project_id, kind, name, step_id, workflow_id)
select :project_id, n.kind, n.name, n.step_id, :workflow_id
from named n
on conflict do nothing;

-- name: senders :many
-- The templates that a workflow sends, and whether the domain of each sender is verified.
select t.id, t.name, exists (
  select
  from domains d
  where d.project_id = t.project_id
    and d.status = 'VERIFIED'
    and d.domain = recipient_domain(lower(t.from_email))
) as "is_verified!"
from templates t
where t.project_id = :project_id and t.id = any(:template_ids::uuid[]);
