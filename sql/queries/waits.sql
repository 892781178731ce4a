-- name: heard :many
-- What waits for these events, and with what they wake it; the oldest event first.
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
  offset 0
) as w
where (e.project_id, e.id) in (select * from unnest(:project_ids::uuid[], :event_ids::uuid[]))
order by e.id;

-- name: come_in_time :many
-- The first event that came in time for each wait that is over, though the job of the event has not come yet. `rows`
-- holds `{project_id, execution_id, step_execution_id, contact_id, event_name, from_id, since, until}`.
select
  r.project_id as "project_id!", r.execution_id as "execution_id!", r.step_execution_id as "step_execution_id!",
  e.id as event_id, e.name as event_name, e.data
from json_to_recordset(:rows::json) as r (
  project_id uuid, execution_id uuid, step_execution_id uuid, contact_id uuid, event_name text, from_id uuid,
  since timestamptz, until timestamptz
)
cross join lateral (
  select v.id, v.name, v.data
  from events v
  where v.project_id = r.project_id
    and v.contact_id = r.contact_id
    and v.name = r.event_name
    and v.id >= r.from_id
    and v.created_at between r.since and r.until
    and not (v.name in ('email.open', 'email.click') and v.data ? 'machine')
  order by v.id
  limit 1
) as e;

-- name: add :exec
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
