-- name: begin :exec
-- For the rest of this transaction: tables from which few rows are wanted are read by their indexes, even where a plan
-- was cached while they were small. And no reset of these projects can begin: it will find what is started here.
select
  set_config('enable_seqscan', 'off', true),
  set_config('jit', 'off', true),
  (
    select count(pg_advisory_xact_lock_shared(starts_of_workflows(p.id)))
    from (select distinct id from unnest(:project_ids::uuid[]) as u (id) order by id) as p
  );

-- name: analyze :exec
analyze (skip_locked) executions, step_executions, waits;

-- name: deepen :exec
-- The depth of whatever this transaction records from here on: how many workflows have led to it.
select set_config('postrider.depth', :depth, true);

-- name: listening :many
-- Which workflows these events start, and whom for; the oldest event first.
select
  e.project_id, e.id as event_id, e.name as event_name, e.contact_id as "contact_id!", w.id as workflow_id,
  w.version_id, w.allow_reentry
from events e
join workflows w
  on w.project_id = e.project_id and w.event_name = e.name and w.enabled and w.trigger_type = 'EVENT'
where (e.project_id, e.id) in (select * from unnest(:project_ids::uuid[], :event_ids::uuid[]))
  and e.contact_id is not null
order by e.id, w.id;

-- name: start_many :many
-- nullable: rows.step_id, rows.exit_reason, rows.context, rows.event_id, rows.trigger_id, rows.entry_id, rows.history
-- Creates executions where the re-entry rule allows it, each with the first entry of its history. The unique indexes
-- are that rule: an event that is processed again leads to the id of the execution it has already started. Only
-- contacts who entered while re-entry was allowed have to be searched for. `rows` holds, in the order of their claims,
-- `{n, project_id, id, workflow_id, version_id, contact_id, status, trigger_id, step_id?, exit_reason?, is_only, depth,
-- context?, event_id?, entry_id, history?}`; the data of an event becomes `event` in the context. Contacts that are
-- being deleted drop out. The events are read separately: joined with a contact that has to be waited for, Postgres 18
-- loses the partition that they are in.
with given as materialized (
  select r.*, (select e.data from events e where e.project_id = r.project_id and e.id = r.event_id) as event
  from json_to_recordset(:rows::json) as r (
    n int, project_id uuid, id uuid, workflow_id uuid, version_id uuid, contact_id uuid, status execution_status,
    trigger_id uuid, step_id uuid, exit_reason text, is_only boolean, depth int, context jsonb, event_id uuid,
    entry_id uuid, history jsonb
  )
),
started as (
  insert into executions (
    project_id, id, workflow_id, version_id, contact_id, status, current_step_id, is_only, depth, exit_reason, context,
    wake_at, started_at, completed_at
  )
  select
    g.project_id, g.id, g.workflow_id, g.version_id, c.id, g.status, g.step_id, g.is_only, g.depth, g.exit_reason,
    coalesce(g.context, '{}') || case when g.event is null then '{}' else jsonb_build_object('event', g.event) end,
    case when g.status = 'RUNNING' then :now::timestamptz end,
    :now,
    case when g.status <> 'RUNNING' then :now::timestamptz end
  from given g
  join contacts c on c.project_id = g.project_id and c.id = g.contact_id
  where not g.is_only or not exists (
    select
    from executions x
    where x.project_id = g.project_id and x.contact_id = g.contact_id and x.workflow_id = g.workflow_id
  )
  order by g.workflow_id, g.contact_id, g.n
  for key share of c
  on conflict do nothing
  returning project_id, id, status
),
told as (
  insert into step_executions (project_id, id, execution_id, step_id, status, output, started_at, completed_at)
  select g.project_id, g.entry_id, g.id, g.trigger_id, 'COMPLETED', g.history, :now, :now
  from started s
  join given g on g.project_id = s.project_id and g.id = s.id
)
select project_id, id, status
from started;

-- name: hold :many
-- Active executions with everything needed to continue, locked until the commit in the order of their ids. Their contacts
-- are locked too, so that they are neither deleted nor given another address. Executions of a disabled project are held
-- up; those that a reset deletes have ended. Nothing else is read here: after waiting for a lock, a statement sees the
-- rows it has locked as they are now, but all other tables as they were before.
select
  e.project_id, e.id, e.workflow_id, e.version_id, e.status, e.current_step_id as "current_step_id!",
  e.step_execution_id, e.revision, e.tries, e.depth, e.context, e.wake_at, p.disabled_at is not null as "held_up!",
  c.id as contact_id, c.email, c.subscribed, c.data, c.created_at, c.updated_at
from executions e
join projects p on p.id = e.project_id
join contacts c on c.project_id = e.project_id and c.id = e.contact_id
where (e.project_id, e.id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[]))
  and e.status in ('RUNNING', 'WAITING')
  and not exists (select from reset_of(e))
order by e.project_id, e.id
for update of e
for key share of c;

-- name: graphs :many
-- The graphs of these versions; they never change.
select id, graph
from workflow_versions
where (project_id, id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[]));

-- name: move :exec
-- nullable: rows.step_id, rows.step_execution_id, rows.context, rows.exit_reason, rows.wake_at, rows.completed_at
-- Writes the new positions of executions. `rows` holds `{project_id, id, revision, moved, status, step_id?,
-- step_execution_id?, depth, context?, exit_reason?, wake_at?, completed_at?}`; one that has moved since it was read stays.
update executions e
set
  status            = r.status,
  current_step_id   = r.step_id,
  step_execution_id = r.step_execution_id,
  revision          = e.revision + r.moved,
  tries             = 0,
  depth             = r.depth,
  context           = coalesce(r.context, e.context),
  exit_reason       = r.exit_reason,
  wake_at           = r.wake_at,
  completed_at      = r.completed_at
from json_to_recordset(:rows::json) as r (
  project_id uuid, id uuid, revision int, moved int, status execution_status, step_id uuid, step_execution_id uuid,
  depth int, context jsonb, exit_reason text, wake_at timestamptz, completed_at timestamptz
)
where e.project_id = r.project_id
  and e.id = r.id
  and e.revision = r.revision
  and e.status in ('RUNNING', 'WAITING');

-- name: add_steps :exec
-- nullable: rows.output, rows.error, rows.completed_at
-- Tells what steps did. `rows` holds `{project_id, id, execution_id, step_id, seq, status, output?, error?, started_at,
-- completed_at?}`.
insert into step_executions (
  project_id, id, execution_id, step_id, seq, status, output, error, started_at, completed_at
)
select
  r.project_id, r.id, r.execution_id, r.step_id, r.seq, r.status, r.output, r.error, r.started_at, r.completed_at
from json_to_recordset(:rows::json) as r (
  project_id uuid, id uuid, execution_id uuid, step_id uuid, seq int, status step_status, output jsonb, error text,
  started_at timestamptz, completed_at timestamptz
);

-- name: end_steps :exec
-- nullable: rows.output, rows.error
-- Tells how steps ended that stood open. `rows` holds `{project_id, id, status, output?, error?, completed_at}`.
update step_executions s
set
  status       = r.status,
  output       = nullif(coalesce(s.output, '{}') || coalesce(r.output, '{}'), '{}'),
  error        = r.error,
  completed_at = r.completed_at
from json_to_recordset(:rows::json) as r (
  project_id uuid, id uuid, status step_status, output jsonb, error text, completed_at timestamptz
)
where s.project_id = r.project_id and s.id = r.id;

-- name: try_again :exec
-- A step could not be done now. Until then a job knows of it.
update executions
set tries = tries + 1, wake_at = :wake_at
where project_id = :project_id and id = :execution_id;

-- name: add_jobs :exec
-- nullable: rows.run_at, rows.key, rows.priority
-- Enqueues jobs for executions. `rows` holds `{task, payload, run_at?, key?, priority?}`, each key once.
select graphile_worker.add_jobs(array_agg(
  row(r.task, r.payload, null, r.run_at, null, r.key, r.priority, null)::graphile_worker.job_spec
))
from json_to_recordset(:rows::json) as r (task text, payload json, run_at timestamptz, key text, priority int);

-- name: satisfying :many
-- splice: condition = true
-- splice: answers = array[true]
-- Which of these rows match a compiled condition, and the result of some of its filters for each. `rows` holds
-- contacts as they are in memory, `{n, id, email, subscribed, created_at, updated_at, data}`, or other data in their
-- place.
select c.n as "n!", :condition as "holds!", :answers as "answers!"
from json_to_recordset(:rows::json) as c (
  n int, id uuid, email text, subscribed boolean, created_at timestamptz, updated_at timestamptz, data jsonb
);

-- name: contacts :many
-- Contacts as they are now.
select id, email, subscribed, data, created_at, updated_at
from contacts
where project_id = :project_id and id = any(:ids::uuid[]);

-- name: content :maybe
-- What a template says, its sender, and the content that its mails share so far; no content where the template, or the
-- project's tracking, has changed since.
select
  t.subject, t.preheader, t.html, t.from_email, t.from_name, t.reply_to, t.type, t.updated_at::text as "written_at!", p.tracking,
  o.id as "content_id?"
from templates t
join projects p on p.id = t.project_id
left join workflow_contents k
  on k.project_id = t.project_id
  and k.template_id = t.id
  and k.template_updated_at = t.updated_at
  and k.tracking = p.tracking
left join contents o on o.project_id = k.project_id and o.id = k.content_id
where t.project_id = :project_id and t.id = :template_id;

-- name: keep_content :exec
-- Mails with this template, as it is now, share this content from now on.
insert into workflow_contents (project_id, template_id, content_id, template_updated_at, tracking)
values (:project_id, :template_id, :content_id, :written_at::text::timestamptz, :tracking)
on conflict (project_id, template_id) do update
set
  content_id          = excluded.content_id,
  template_updated_at = excluded.template_updated_at,
  tracking            = excluded.tracking;

-- name: add_emails :many
-- nullable: rows.contact_id, rows.data
-- Adds the mails of a step to the ledger, each under the id of its history entry, so that none can exist twice. Returns
-- those that are to be sent: a mail to a suppressed address, or beyond this month's limit, is closed at once. `rows`
-- holds `{id, execution_id, contact_id?, address, data?}`. The caller holds the contacts.
with taken as materialized (
  select take_usage(:project_id, 'workflows', :now, json_array_length(:rows::json), false) as mails
),
given as (
  select
    r.id, r.execution_id, r.contact_id, r.address, r.data, r.n > t.mails as is_over,
    (
      select s.reason
      from suppressions s
      where s.project_id = :project_id and s.email = r.address
    ) as suppressed
  from taken t
  cross join rows from (
    json_to_recordset(:rows::json) as (id uuid, execution_id uuid, contact_id uuid, address text, data jsonb)
  ) with ordinality as r (id, execution_id, contact_id, address, data, n)
),
added as (
  insert into emails (
    project_id, id, contact_id, address, content_id, source_type, template_id, workflow_id, step_id, workflow_execution_id, data,
    status, error, due_at, queued_at
  )
  select
    :project_id, id, contact_id, address, :content_id, 'WORKFLOW', :template_id, :workflow_id, :step_id,
    execution_id,
    case when suppressed is null and not is_over then data end,
    case when suppressed is not null then 'SUPPRESSED' when is_over then 'FAILED' else 'PENDING' end::email_status,
    case
      when suppressed is not null then 'The address is on the suppression list (' || suppressed || ')'
      when is_over then :over_limit
    end,
    :now, :now
  from given
  returning project_id, id, status
)
select project_id, id
from added
where status = 'PENDING'
order by id;

-- name: stranded :many
-- What has been due since `before` and has no job: its project was disabled, or its job has failed too often. Nothing is
-- as long as jobs wait that are as old: then there is only much to do.
select e.project_id, e.id, e.status
from executions e
join projects p on p.id = e.project_id and p.disabled_at is null
where e.status in ('RUNNING', 'WAITING')
  and e.wake_at < :before
  and not exists (
    select
    from queued_jobs() as j
    where j.is_available
      and j.run_at < :before
      and j.task in ('start_workflows', 'run_executions', 'wake_executions')
  )
order by e.project_id, e.status, e.id
limit :limit::int;
