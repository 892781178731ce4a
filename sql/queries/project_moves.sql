-- name: take_snapshot :exec
-- The first statement of a transaction that reads everything as it is at this moment.
set transaction isolation level repeatable read;

-- name: open_rows :one
-- Opens the rows of a project in a table.
select open_moved_rows(:source, :project_id)::text as "opened?";

-- name: next_rows :many
-- The next of them as JSON, about `bytes` of it. None: that was all.
select line as "line!"
from next_moved_rows(:bytes::int) as line;

-- name: put_rows :one
-- Inserts rows that are given as the text of a JSON array.
select put_moved_rows(:target, :rows::text::jsonb) as "rows!";

-- name: clear :exec
-- splice: target = segment_sizes
-- Deletes what triggers have written into a table while other rows were inserted: the file has these rows as well.
delete from :target where project_id = :project_id;

-- name: state :maybe
-- What could keep a project from being exported as it is.
select
  p.name,
  p.sandbox_of is not null as "is_sandbox!",
  p.disabled_at is not null as "is_disabled!",
  exists (select from resets r where r.project_id = p.id) as "is_being_reset!",
  is_moving_in(p.id) as "is_moving_in!",
  (select count(*)::int from emails e where e.project_id = p.id and e.status = 'SENDING') as "sending!"
from projects p
where p.id = :project_id and p.deleted_at is null;

-- name: get :maybe
-- The project with this id, deleted or not, and its import, if it came by one.
select
  p.name,
  p.deleted_at is not null as "is_deleted!",
  m.export_id as "export_id?",
  m.lines_done::float8 as "lines_done?",
  m.finished_at
from projects p
left join project_moves m on m.project_id = p.id
where p.id = :project_id;

-- name: begin :exec
insert into project_moves (project_id, export_id, lines_done, started_at)
values (:project_id, :export_id, :lines_done::float8, :now);

-- name: advance :exec
-- 0 where somebody else has continued the import meanwhile.
update project_moves
set lines_done = :lines_done::float8
where project_id = :project_id and lines_done = :before::float8 and finished_at is null;

-- name: finish :exec
update project_moves
set lines_done = :lines_done::float8, finished_at = :now
where project_id = :project_id and lines_done = :before::float8 and finished_at is null;

-- name: set_link_keys :exec
update projects
set link_keys = :link_keys
where id = :project_id;

-- name: link_keys :many
-- Of all projects that were imported.
select id, link_keys as "link_keys!"
from projects
where link_keys is not null and deleted_at is null
limit 10000;

-- name: stop_campaigns :one
-- For a copy without the mails that were still to be sent: what was being sent is cancelled here, and what was scheduled
-- becomes a draft, if it was not exported for good.
with stopped as (
  update campaigns
  set
    status        = case status when 'SENDING' then 'CANCELLED' else 'DRAFT' end::campaign_status,
    finished_at   = case status when 'SENDING' then coalesce(finished_at, :now) end,
    scheduled_for = null,
    updated_at    = updated_at
  where project_id = :project_id and (status = 'SENDING' or (status = 'SCHEDULED' and :is_copy::boolean))
  returning status
)
select
  count(*) filter (where status = 'CANCELLED')::int as "cancelled!",
  count(*) filter (where status = 'DRAFT')::int as "unscheduled!"
from stopped;

-- name: stop_workflows :exec
-- For a copy: its workflows go on where it was copied.
update workflows
set enabled = false, next_run_at = null
where project_id = :project_id and enabled;

-- name: stop_executions :exec
-- The same for what is in the middle of one.
with stopped as (
  update executions
  set status = 'CANCELLED', exit_reason = 'The project was copied', completed_at = :now, wake_at = null,
    revision = revision + 1
  where project_id = :project_id and status in ('RUNNING', 'WAITING')
  returning id
), unwaited as (
  delete from waits where project_id = :project_id
), unscheduled as (
  delete from scheduled_runs where project_id = :project_id
)
select from stopped;

-- name: stop_emails :exec
-- The same for mails that were still open.
update emails
set status = 'FAILED', error = 'The project was copied', claimed_by = null, data = null, captured_at = null
where project_id = :project_id and status in ('PENDING', 'SENDING', 'CAPTURED', 'IN_DOUBT');
