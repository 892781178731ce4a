-- name: begin_deletion :maybe
-- From the commit on the project cannot be found, and nothing of it is sent. Null when there is none.
update projects
set deleted_at = :now, disabled_at = coalesce(disabled_at, :now), updated_at = :now
where id = :project_id and deleted_at is null
returning name;

-- name: sandbox :maybe
-- The sandbox of a project, which goes with it.
select id
from projects
where sandbox_of = :project_id and deleted_at is null;

-- name: let_go :exec
-- Members and receiving domains are removed from the project at once.
with members as (
  delete from memberships where project_id = :project_id
),
invited as (
  delete from invitations where project_id = :project_id
)
delete from domains
where project_id = :project_id;

-- name: keep_out_starts :exec
-- Waits for those who are starting workflows of the project. From the commit on they see what is written here.
select pg_advisory_xact_lock(starts_of_workflows(:project_id));

-- name: stop :exec
-- Everything that is active, or would start by itself, is ended here, after waiting for those who work on it. Mails
-- and executions stay as they are: they are checked again when their turn comes. The names of segments are free for
-- new ones.
with cancelled as (
  update campaigns
  set status = 'CANCELLED', finished_at = :now, updated_at = :now
  where project_id = :project_id and status in ('SCHEDULED', 'SENDING')
),
finished as (
  update campaigns
  set finished_at = :now
  where project_id = :project_id and status = 'CANCELLED' and finished_at is null
),
disabled as (
  update workflows
  set enabled = false, next_run_at = null
  where project_id = :project_id and enabled
),
runs as (
  delete from scheduled_runs
  where project_id = :project_id
),
failed_imports as (
  update contact_imports
  set state = 'failed', failed_reason = :reason, finished_at = now()
  where project_id = :project_id and state in ('waiting', 'active')
),
failed_jobs as (
  update bulk_jobs
  set state = 'failed', failed_reason = :reason, finished_at = now()
  where project_id = :project_id and state in ('waiting', 'active')
)
update segments
set track_membership = false, slug = id::text
where project_id = :project_id;

-- name: begin_reset :exec
-- Notes how far the reset goes: up to the currently newest rows. A reset in progress is extended to there.
insert into resets as r (
  project_id, asked_at, contacts, events, templates, contents, emails, segments, contact_imports, bulk_jobs, campaigns,
  suppressions, workflows, executions
)
select
  :project_id, :now,
  (select id from contacts where project_id = :project_id order by id desc limit 1),
  (select id from events where project_id = :project_id order by id desc limit 1),
  (select id from templates where project_id = :project_id order by id desc limit 1),
  (select id from contents where project_id = :project_id order by id desc limit 1),
  (select id from emails where project_id = :project_id order by id desc limit 1),
  (select id from segments where project_id = :project_id order by id desc limit 1),
  (select id from contact_imports where project_id = :project_id order by id desc limit 1),
  (select id from bulk_jobs where project_id = :project_id order by id desc limit 1),
  (select id from campaigns where project_id = :project_id order by id desc limit 1),
  (select id from suppressions where project_id = :project_id order by id desc limit 1),
  (select id from workflows where project_id = :project_id order by id desc limit 1),
  (select id from executions where project_id = :project_id order by id desc limit 1)
on conflict (project_id) do update
set
  asked_at        = greatest(excluded.asked_at, r.asked_at + interval '1 microsecond'),
  contacts        = greatest(r.contacts, excluded.contacts),
  events          = greatest(r.events, excluded.events),
  templates       = greatest(r.templates, excluded.templates),
  contents        = greatest(r.contents, excluded.contents),
  emails          = greatest(r.emails, excluded.emails),
  segments        = greatest(r.segments, excluded.segments),
  contact_imports = greatest(r.contact_imports, excluded.contact_imports),
  bulk_jobs       = greatest(r.bulk_jobs, excluded.bulk_jobs),
  campaigns       = greatest(r.campaigns, excluded.campaigns),
  suppressions    = greatest(r.suppressions, excluded.suppressions),
  workflows       = greatest(r.workflows, excluded.workflows),
  executions      = greatest(r.executions, excluded.executions);

-- name: enqueue :exec
-- nullable: run_at
-- All removals share one queue, one slice of one project after another: so of however many projects, they take one place
-- of the bulk lane, and no more. The lower the priority, the sooner.
select graphile_worker.add_job(
  :task,
  payload    => :payload::json,
  queue_name => 'removals',
  run_at     => :run_at,
  priority   => :priority::int,
  job_key    => :task || ':' || :project_id
);

-- name: read_by_index :exec
-- For the rest of this transaction, and for the referencing tables that it searches: whatever the planner estimates
-- about their size.
select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true);

-- name: without_job :many
-- Projects being deleted or reset that have no job left that will be tried.
select w.task as "task!", w.project_id as "project_id!"
from (
  select 'delete_project' as task, id as project_id
  from projects
  where deleted_at is not null
  union all
  select 'reset_project', r.project_id
  from resets r
  join projects p on p.id = r.project_id and p.deleted_at is null
) as w
where not exists (
  select
  from graphile_worker.jobs j
  where j.key = w.task || ':' || w.project_id and j.attempts < j.max_attempts
);

-- name: deletion :maybe
-- A project on its way out; null when it is gone.
select deleted_at as "deleted_at!"
from projects
where id = :project_id and deleted_at is not null;

-- name: reset :maybe
-- A project that is being reset, and how far; null when that is done, or the project was deleted in the meantime.
-- `version` tells whether the reset was requested again since.
select
  r.asked_at, r.asked_at::text as "version!", r.contacts, r.events, r.templates, r.contents, r.emails, r.segments,
  r.contact_imports, r.bulk_jobs, r.campaigns, r.suppressions, r.workflows, r.executions
from resets r
join projects p on p.id = r.project_id and p.deleted_at is null
where r.project_id = :project_id;

-- name: hold_deleted :maybe
-- Locks a project that is being deleted: waits for transactions that add rows referring to it, and blocks new ones.
-- Busy means that a transaction which began before the deletion was visible may still add rows without a foreign key, or
-- that its sandbox is still there.
select
  exists (select from projects s where s.sandbox_of = p.id)
  or exists (
    select
    from pg_stat_activity a
    where a.datname = current_database()
      and a.pid <> pg_backend_pid()
      and a.backend_xid is not null
      and a.xact_start < p.deleted_at + interval '5 seconds'
  ) as "is_busy!"
from projects p
where p.id = :project_id and p.deleted_at is not null
for update;

-- name: end_deletion :exec
-- The project itself, with the last traces of it.
with rates as (
  delete from send_rates
  where scope = :project_id
)
delete from projects
where id = :project_id and deleted_at is not null;

-- name: end_reset :exec
-- 0 when it was asked for once more since.
delete from resets
where project_id = :project_id and asked_at::text = :version;

-- name: segments :many
-- What is recounted after a reset.
select id
from segments
where project_id = :project_id
order by id;
