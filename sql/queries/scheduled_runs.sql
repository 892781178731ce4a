-- name: due :many
-- Workflows that are due, locked so that one process starts them.
select w.project_id, w.id, w.trigger_config, w.next_run_at as "next_run_at!"
from workflows w
join projects p on p.id = w.project_id and p.disabled_at is null
where w.enabled and w.trigger_type = 'SCHEDULE' and w.next_run_at <= :now
order by w.next_run_at
limit :limit::int
for update of w skip locked;

-- name: begin :exec
-- nullable: rows.next_run_at
-- These workflows start for a time, and know their next one. `rows` holds `{project_id, workflow_id, due_at,
-- next_run_at?}`.
with given as materialized (
  select *
  from json_to_recordset(:rows::json) as r (
    project_id uuid, workflow_id uuid, due_at timestamptz, next_run_at timestamptz
  )
),
next as (
  update workflows w
  set next_run_at = g.next_run_at
  from given g
  where w.project_id = g.project_id and w.id = g.workflow_id
)
insert into scheduled_runs (project_id, workflow_id, due_at, created_at)
select project_id, workflow_id, due_at, :now
from given
on conflict do nothing;

-- name: unfinished :many
-- What is still being started, of projects that are not disabled.
select r.project_id, r.id
from scheduled_runs r
join projects p on p.id = r.project_id and p.disabled_at is null;

-- name: hold :maybe
-- One of them while a range of contacts is started; null when it is done, when somebody else is at it, or while its
-- project is disabled.
select r.workflow_id, r.due_at, r.up_to, r.created_at, w.enabled, w.trigger_type, w.trigger_config, w.allow_reentry
from scheduled_runs r
join projects p on p.id = r.project_id and p.disabled_at is null
join workflows w on w.project_id = r.project_id and w.id = r.workflow_id
where r.project_id = :project_id and r.id = :run_id
for update of r skip locked;

-- name: range :many
-- nullable: after_id
-- splice: audience = true
-- The next contacts that a workflow starts for, in the order of their ids. Who came after the time is not among them.
select c.id
from contacts c
where c.project_id = :project_id
  and (:after_id::uuid is null or c.id > :after_id)
  and c.created_at <= :until
  and c.id > (select contacts_reset_up_to(:project_id))
  and :audience
order by c.id
limit :limit::int;

-- name: advance :exec
-- It has got as far as this contact.
update scheduled_runs
set up_to = :up_to, tries = 0
where project_id = :project_id and id = :run_id;

-- name: note_failure :maybe
-- Nothing came of it: how often in a row.
update scheduled_runs
set tries = tries + 1
where project_id = :project_id and id = :run_id
returning tries;

-- name: finish :exec
delete from scheduled_runs
where project_id = :project_id and id = :run_id;
