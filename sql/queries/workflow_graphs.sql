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
-- The templates that a workflow sends, whether the domain of each sender is verified, which in a sandbox it need not be, and whether it goes to subscribers
-- without a link to leave. Those that are very long are not read for that.
select
  t.id, t.name,
  exists (select from projects p where p.id = t.project_id and p.sandbox_of is not null) or exists (
    select
    from domains d
    where d.project_id = t.project_id
      and d.status = 'VERIFIED'
      and d.domain = recipient_domain(lower(t.from_email))
  ) as "is_verified!",
  (
    t.type = 'HEADLESS'
    and pg_column_size(t.html) <= 50000
    and t.html !~ '(unsubscribe|manage)Url'
  ) as "lacks_unsubscribe!"
from templates t
where t.project_id = :project_id and t.id = any(:template_ids::uuid[]);

-- name: transitions :many
-- Where the steps of a workflow lead, in the order in which the ways were added.
select from_step_id as "from", to_step_id as "to", branch
from workflow_transitions
where project_id = :project_id and workflow_id = :workflow_id
order by created_at, id;

-- name: being_built :one
-- Whether the graph became what it is within the last minute, by whom `edits.act_as` names, and nobody needed a version of it
-- since.
select
  (
    w.version_id is null
    and w.graph_edited_at > now() - interval '1 minute'
    and w.graph_edited_by is not distinct from nullif(current_setting('postrider.editor', true), '')
  ) as "is_so!"
from workflows w
where w.project_id = :project_id and w.id = :workflow_id;

-- name: keep :exec
-- Keeps what a graph was before the edit that this transaction makes, and drops those before the last 100 versions.
with dropped as (
  delete from workflow_graphs g
  using workflows w
  where w.project_id = :project_id
    and w.id = :workflow_id
    and g.project_id = w.project_id
    and g.workflow_id = w.id
    and g.version <= w.graph_version - 99
)
insert into workflow_graphs (project_id, workflow_id, version, graph, steps, created_at, created_by)
select w.project_id, w.id, w.graph_version, :graph, jsonb_array_length(:graph::jsonb -> 'steps'), w.graph_edited_at, w.graph_edited_by
from workflows w
where w.project_id = :project_id and w.id = :workflow_id;

-- name: versions :many
-- What the graph of a workflow is and was, newest first, with how many executions are in progress by each: of as many
-- as `up_to` in all.
with active as materialized (
  select v.graph_version as version, count(*)::int as total
  from (
    select e.version_id
    from executions e
    where e.project_id = :project_id and e.workflow_id = :workflow_id and e.status in ('RUNNING', 'WAITING')
    limit :up_to::int
  ) as counted
  join workflow_versions v on v.project_id = :project_id and v.id = counted.version_id
  group by 1
),
known as (
  select
    w.graph_version as version, w.graph_edited_at as created_at, w.graph_edited_by as created_by,
    (
      select count(*) from workflow_steps s where s.project_id = w.project_id and s.workflow_id = w.id
    )::int as steps
  from workflows w
  where w.project_id = :project_id and w.id = :workflow_id
  union all
  select g.version, g.created_at, g.created_by, g.steps
  from workflow_graphs g
  where g.project_id = :project_id and g.workflow_id = :workflow_id
)
select
  k.version as "version!", k.created_at as "created_at!", k.created_by as "created_by?", k.steps as "steps!",
  coalesce(a.total, 0) as "active_executions!"
from known k
left join active a on a.version = k.version
order by k.version desc;

-- name: version :maybe
-- What the graph of a workflow was; none for what it is now.
select version, graph, created_at, created_by
from workflow_graphs
where project_id = :project_id and workflow_id = :workflow_id and version = :version::int;
