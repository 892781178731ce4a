-- name: add_executions :exec
-- nullable: paths.exit_reason, paths.step_id, steps.error, steps.output
-- Executions of a workflow, one for each contact with the event that starts it, each on a path that is drawn. What lies
-- in the future has not happened yet: an execution at a step that lasts waits there. `paths` holds `{n, upto, status,
-- exit_reason?, step_id?, seconds}` by rising `upto` (the last one is 1), `steps` the `{path, seq, step_id, status,
-- begins, ends, error?, output?}` in seconds from the start.
with path as materialized (
  select *
  from json_to_recordset(:paths::json) as r (
    n int, upto float8, status execution_status, exit_reason text, step_id uuid, seconds float8
  )
),
page as materialized (
  select *
  from json_to_recordset(:steps::json) as r (
    path int, seq int, step_id uuid, status step_status, begins float8, ends float8, error text, output json
  )
),
begun as materialized (
  select distinct on (e.contact_id) e.contact_id, c.email, e.created_at + interval '1 second' as at, e.data
  from events e
  join contacts c on c.project_id = e.project_id and c.id = e.contact_id and c.data ? 'customerNumber'
  where e.project_id = :project_id and e.name = :event_name and e.created_at > :since
  order by e.contact_id, e.created_at
),
drawn as materialized (
  select
    b.*, p.n as path, p.status as ends_as, p.exit_reason, p.step_id as last_step, b.at + interval '1 second' * p.seconds as ends_at,
    (
      lpad(to_hex((extract(epoch from b.at) * 1000)::bigint), 12, '0') || '7' || substr(h.hash, 1, 3) || '8'
        || substr(h.hash, 4, 15)
    )::uuid as id
  from begun b
  cross join lateral (select md5(b.email || :workflow_id::uuid) as hash) as h
  cross join lateral (
    select p.*
    from path p
    where p.upto > (hashtextextended(b.email, :seed::int::bigint + 60) & 1048575) / 1048576::float8
    order by p.upto
    limit 1
  ) as p
),
told as materialized (
  select
    d.id as execution_id, d.contact_id, g.step_id, g.seq, g.error, g.output::jsonb as output, d.at + interval '1 second' * g.begins as started_at,
    case
      when g.status = 'FAILED' then least(d.at + interval '1 second' * g.ends, :now::timestamptz)
      else d.at + interval '1 second' * g.ends
    end as ends_at,
    g.status,
    d.at + interval '1 second' * g.ends > :now::timestamptz and g.status = 'COMPLETED' as is_open,
    (
      lpad(to_hex((extract(epoch from d.at + interval '1 second' * g.begins) * 1000)::bigint + g.seq), 12, '0') || '7' || substr(h.hash, 1, 3)
        || '8' || substr(h.hash, 4, 15)
    )::uuid as id
  from drawn d
  join page g on g.path = d.path
  cross join lateral (select md5(d.id || g.seq::text) as hash) as h
  where d.at + interval '1 second' * g.begins <= :now::timestamptz
),
written as (
  insert into executions (
    project_id, id, workflow_id, version_id, contact_id, status, current_step_id, step_execution_id, revision, is_only,
    exit_reason, context, wake_at, started_at, completed_at
  )
  select
    :project_id, d.id, :workflow_id, :version_id, d.contact_id,
    case when w.id is not null then 'WAITING' else d.ends_as end,
    case
      when w.id is not null then w.step_id
      when d.ends_as in ('RUNNING', 'FAILED', 'CANCELLED') then d.last_step
    end,
    w.id, 3, true,
    case when w.id is null then d.exit_reason end,
    jsonb_build_object('event', d.data),
    case when w.id is not null then w.ends_at when d.ends_as = 'RUNNING' then :now::timestamptz + interval '7 days' end,
    d.at,
    case when w.id is null and d.ends_as <> 'RUNNING' then least(d.ends_at, :now::timestamptz) end
  from drawn d
  left join told w on w.execution_id = d.id and w.is_open
  order by d.at
),
noted as (
  insert into step_executions (project_id, id, execution_id, step_id, seq, status, output, error, started_at, completed_at)
  select
    :project_id, t.id, t.execution_id, t.step_id, t.seq, case when t.is_open then 'WAITING' else t.status end,
    case when not t.is_open then t.output end, t.error, t.started_at,
    case when not t.is_open and t.status in ('COMPLETED', 'FAILED') then t.ends_at end
  from told t
  order by t.started_at, t.seq
)
insert into waits (project_id, contact_id, event_name, execution_id, step_execution_id, started_at)
select :project_id, t.contact_id, r.event_name, t.execution_id, t.id, t.started_at
from told t
join json_to_recordset(:waits::json) as r (step_id uuid, event_name text) on r.step_id = t.step_id
where t.is_open;

-- name: age :exec
-- When the workflow and its steps were made.
with made as (
  update workflow_steps
  set created_at = :at::timestamptz + (created_at - now())
  where project_id = :project_id and workflow_id = :workflow_id
)
update workflows
set created_at = :at
where project_id = :project_id and id = :workflow_id;
