-- name: matched :many
-- What waits for these events, and what it is woken with; the oldest event first. An event that an execution already
-- reports (it was started by it, or has waited for it before) is left to others.
select
  w.project_id, w.execution_id, w.step_execution_id, e.id as event_id, e.name as event_name, e.data
from events e
cross join lateral (
  select t.project_id, t.execution_id, t.step_execution_id
  from waits t
  where t.project_id = e.project_id
    and t.contact_id = e.contact_id
    and t.event_name = e.name
    and t.started_at <= e.created_at
    and not exists (
      select
      from step_executions s
      where s.project_id = t.project_id
        and s.execution_id = t.execution_id
        and s.output #>> '{event,id}' = e.id::text
    )
  offset 0
) as w
where (e.project_id, e.id) in (select * from unnest(:project_ids::uuid[], :event_ids::uuid[]))
order by e.id;

-- name: come :many
-- nullable: rows.until
-- The first event that has arrived for each of these waits, whether or not a job of its own is on its way; the depth
-- increases as in `start_workflows_by_events`. `rows` holds `{project_id, execution_id, until?}`.
select
  w.project_id, w.execution_id, w.step_execution_id, e.id as event_id, e.name as event_name, e.data,
  greatest(e.depth, (
    select x.depth + 1
    from emails m
    join executions x on x.project_id = m.project_id and x.id = m.workflow_execution_id
    where m.project_id = w.project_id
      and m.id = e.email_id
      and e.name not in ('email.open', 'email.click')
  )) as "depth!"
from json_to_recordset(:rows::json) as r (project_id uuid, execution_id uuid, until timestamptz)
join waits w on w.project_id = r.project_id and w.execution_id = r.execution_id
cross join lateral (
  select v.id, v.name, v.email_id, v.data, v.depth
  from events v
  where v.project_id = w.project_id
    and v.contact_id = w.contact_id
    and v.name = w.event_name
    -- An id is made up to a day before the time its event bears.
    and v.id >= first_id_at(w.started_at - interval '1 day')
    and v.created_at >= w.started_at
    and (r.until is null or v.created_at <= r.until)
    and not (v.name in ('email.open', 'email.click') and v.data ? 'machine')
    and not exists (
      select
      from step_executions s
      where s.project_id = w.project_id
        and s.execution_id = w.execution_id
        and s.output #>> '{event,id}' = v.id::text
    )
  order by v.id
  limit 1
) as e;

-- name: horizon :one
-- The oldest transaction that writes now, and the one that will begin to next.
select pg_snapshot_xmin(now.snapshot)::text as "oldest!", pg_snapshot_xmax(now.snapshot)::text as "next!"
from (select pg_current_snapshot() as snapshot offset 0) as now;

-- name: add :exec
-- nullable: rows.event_name, rows.step_execution_id
-- `rows` holds `{project_id, contact_id, event_name, execution_id, step_execution_id, started_at}`.
insert into waits (project_id, contact_id, event_name, execution_id, step_execution_id, started_at)
select r.project_id, r.contact_id, r.event_name, r.execution_id, r.step_execution_id, r.started_at
from json_to_recordset(:rows::json) as r (
  project_id uuid, contact_id uuid, event_name text, execution_id uuid, step_execution_id uuid, started_at timestamptz
);

-- name: remove :exec
-- These executions wait no more.
delete from waits
where (project_id, execution_id) in (select * from unnest(:project_ids::uuid[], :execution_ids::uuid[]));
