-- name: current :maybe
-- The version of a workflow's graph as it is now; none when it was edited since the last one.
select v.id as "id?", v.graph as "graph?"
from workflows w
left join workflow_versions v on v.project_id = w.project_id and v.id = w.version_id
where w.project_id = :project_id and w.id = :workflow_id;

-- name: insert :one
insert into workflow_versions (project_id, workflow_id, graph, graph_version)
select w.project_id, w.id, :graph, w.graph_version
from workflows w
where w.project_id = :project_id and w.id = :workflow_id
returning id;

-- name: purge :one
-- Deletes versions that were superseded before `before` and that no execution ever started with, and unmarks those that
-- some did: each is checked once. The newest executions of a workflow are checked first, and none older than the
-- version. Returns how many were checked, `limit` at most, and how many were deleted.
with old as materialized (
  select v.project_id, v.id, v.workflow_id, v.created_at
  from workflow_versions v
  where v.superseded_at < :before
    and not exists (
      select
      from workflows w
      where w.project_id = v.project_id and w.id = v.workflow_id and w.version_id = v.id
    )
  order by v.superseded_at
  limit :limit::int
  for update of v skip locked
),
looked as materialized (
  select
    o.project_id,
    o.id,
    (
      select true
      from executions e
      where e.project_id = o.project_id
        and e.workflow_id = o.workflow_id
        and e.id >= first_id_at(o.created_at - interval '1 day')
        and e.version_id = o.id
      order by e.id desc
      limit 1
    ) is not null as is_used
  from old o
),
kept as (
  update workflow_versions v
  set superseded_at = null
  from looked l
  where l.is_used and v.project_id = l.project_id and v.id = l.id
),
gone as (
  delete from workflow_versions v
  using looked l
  where not l.is_used and v.project_id = l.project_id and v.id = l.id
  returning v.id
)
select
  (select count(*) from looked)::int as "looked!",
  (select count(*) from gone)::int as "gone!";
