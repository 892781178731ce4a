-- Which segments and events workflows name, by their steps.

-- name: replace :exec
-- nullable: step_id
-- From now on a step refers to these, and to nothing else; without `step_id` it is the trigger.
with step as (
  select project_id, id, workflow_id
  from workflow_steps
  where project_id = :project_id
    and workflow_id = :workflow_id
    and case when :step_id::uuid is null then type = 'TRIGGER' else id = :step_id end
),
named as (
  select distinct kind, name
  from json_to_recordset(:rows::json) as r (kind text, name text)
),
gone as (
  delete from workflow_references r
  using step s
  where r.project_id = s.project_id
    and r.step_id = s.id
    and (r.kind, r.name) not in (select kind, name from named)
)
insert into workflow_references (project_id, kind, name, step_id, workflow_id)
select s.project_id, n.kind, n.name, s.id, s.workflow_id
from step s
cross join named n
on conflict do nothing;

-- name: of_segment :many
-- The enabled workflows that start for a segment or when somebody enters or leaves it, wait for that, or name it in a
-- condition; `events` are the names of those two events.
select distinct w.id, w.name
from workflow_references r
join workflows w on w.project_id = r.project_id and w.id = r.workflow_id
where r.project_id = :project_id
  and w.enabled
  and (r.kind = 'SEGMENT' and r.name = :segment_id::uuid::text or r.kind = 'EVENT' and r.name = any(:events::text[]))
order by w.name, w.id;

-- name: of_event :many
-- The workflows, enabled or not, that start at an event, wait for it, or ask whether it happened.
select distinct w.id, w.name
from workflow_references r
join workflows w on w.project_id = r.project_id and w.id = r.workflow_id
where r.project_id = :project_id and r.kind = 'EVENT' and r.name = :name
order by w.name, w.id;
