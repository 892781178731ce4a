create type execution_status as enum ('RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED');

create type step_status as enum ('PENDING', 'WAITING', 'RUNNING', 'COMPLETED', 'FAILED');

create table executions (
  project_id        uuid not null,
  id                uuid not null default uuid_v7(),
  workflow_id       uuid not null,
  version_id        uuid not null,
  contact_id        uuid,
  status            execution_status not null default 'RUNNING',
  current_step_id   uuid,
  step_execution_id uuid,
  revision          int not null default 0,
  is_only           boolean not null,
  depth             int not null default 0,
  tries             int not null default 0,
  exit_reason       text,
  context           jsonb not null default '{}',
  wake_at           timestamptz,
  started_at        timestamptz not null default now(),
  completed_at      timestamptz,
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade,
  foreign key (project_id, contact_id) references contacts (project_id, id) on delete set null (contact_id)
);

comment on table executions is 'One contact on its way through one version of a graph.';
comment on column executions.id is
'Derived from the event and the workflow where an event started it: so each event starts a workflow once.';
comment on column executions.current_step_id is
'RUNNING: the step that comes next. WAITING: the one it waits at. FAILED or CANCELLED: how far it got.';
comment on column executions.step_execution_id is 'WAITING: the open entry of its history.';
comment on column executions.revision is 'Counts its state changes. Every change is guarded by it.';
comment on column executions.is_only is 'When it began, the workflow allowed one execution per contact, ever.';
comment on column executions.depth is 'How many workflows led to it, each through an event of the previous one.';
comment on column executions.tries is 'How often the next step has failed with a temporary error.';
comment on column executions.context is
'What the caller passed, and under `event` the data of the event that started it or that it last waited for.';
comment on column executions.wake_at is
'RUNNING: since when it has had a job. WAITING: when it continues automatically; null if only an event can wake it.';

create function is_reset(r resets, e executions) returns boolean
language sql immutable parallel safe
return e.id <= r.executions or e.workflow_id <= r.workflows or e.contact_id <= r.contacts;
comment on function is_reset(resets, executions) is
'Whether a reset removes an execution, either directly or with its workflow or contact. Postgres inlines it.';

create unique index executions_only on executions (project_id, workflow_id, contact_id) where is_only;
comment on index executions_only is 'Without re-entry: one execution per contact, ever.';

create unique index executions_active on executions (project_id, workflow_id, contact_id)
where status in ('RUNNING', 'WAITING');
comment on index executions_active is 'With re-entry: one execution per contact at a time.';

create index executions_by_workflow on executions (project_id, workflow_id, id);
comment on index executions_by_workflow is 'Serves the list of executions.';

create index executions_by_status on executions (project_id, workflow_id, status, id);
comment on index executions_by_status is 'Serves the list of executions with a status.';

create index executions_open on executions (status, wake_at) where status in ('RUNNING', 'WAITING');
comment on index executions_open is 'Serves `execution_run.stranded`: open rows only.';

create index executions_by_contact on executions (project_id, contact_id);
comment on index executions_by_contact is 'Serves the deletion of a contact.';

create index executions_started on executions (project_id, first_id_at(started_at), id);
comment on index executions_started is 'Serves `activity.page`.';

create index executions_completed on executions (project_id, first_id_at(completed_at), id)
where completed_at is not null;
comment on index executions_completed is 'Serves `activity.page`.';

create index executions_upcoming on executions (project_id, (case status when 'WAITING' then wake_at end), id)
where case status when 'WAITING' then wake_at end is not null;
comment on index executions_upcoming is
'Serves `activity_upcoming.list`. A single expression, so that the planner never uses `executions_open` in its place,
which contains the waits of all projects.';

create table step_executions (
  project_id   uuid not null,
  id           uuid not null default uuid_v7(),
  execution_id uuid not null,
  step_id      uuid not null,
  seq          int not null default 0,
  status       step_status not null default 'RUNNING',
  output       jsonb,
  error        text,
  started_at   timestamptz not null default now(),
  completed_at timestamptz,
  primary key (project_id, id)
);

comment on table step_executions is
'The history of executions: what became of each step. It has no foreign key: it would be checked row by row, and, as
long as the statistics show few executions, by an index over all of a project. Entries and waits are written for
executions that are locked or were just created, and the trigger `executions_removed` deletes them with their
execution.';
comment on column step_executions.seq is 'Its position in the history: ids depend on the clocks of several processes.';
comment on column step_executions.output is 'Which branch and why, the id of a mail, or the response of a webhook.';

create index step_executions_by_execution on step_executions (project_id, execution_id, seq);
comment on index step_executions_by_execution is 'Serves the history of one execution.';

create table waits (
  project_id        uuid not null,
  contact_id        uuid not null,
  event_name        text not null,
  execution_id      uuid not null,
  step_execution_id uuid not null,
  started_at        timestamptz not null,
  primary key (project_id, contact_id, event_name, execution_id)
);

comment on table waits is
'Executions that wait for an event at this moment. The row is deleted by whatever ends the wait first, the event or the
timeout.';
comment on column waits.step_execution_id is 'Identifies the wait of the execution.';
comment on column waits.started_at is 'An older event does not end the wait.';

create unique index waits_by_execution on waits (project_id, execution_id);
comment on index waits_by_execution is 'Serves the end of a wait by its timeout or by cancelling.';

create function executions_take_their_own() returns trigger
language plpgsql set enable_seqscan = off as $$
begin
  delete from step_executions s using removed r where s.project_id = r.project_id and s.execution_id = r.id;
  delete from waits w using removed r where w.project_id = r.project_id and w.execution_id = r.id;
  return null;
end $$;
comment on function executions_take_their_own is 'Deletes the history and the waits of deleted executions.';

create trigger executions_removed
after delete on executions referencing old table as removed
for each statement execute function executions_take_their_own();
comment on trigger executions_removed on executions is 'Deletes their history and their waits.';

create function start_workflows_by_events() returns trigger
language plpgsql set enable_seqscan = off as $$
begin
  if not exists (select from workflows) then
    return null;
  end if;
  perform graphile_worker.add_jobs(array_agg(
    row('start_workflows', payload, null, null, null, null, null, null)::graphile_worker.job_spec
  ))
  from (
    select json_build_object('projectId', project_id, 'eventIds', json_agg(id order by id), 'depth', depth) as payload
    from (
      select project_id, id, depth, (row_number() over (partition by project_id, depth order by id) - 1) / 500 as part
      from (
        select
          a.project_id,
          a.id,
          greatest(a.depth, (
            select x.depth + 1
            from emails m
            join executions x on x.project_id = m.project_id and x.id = m.workflow_execution_id
            where m.project_id = a.project_id
              and m.id = a.email_id
              and a.name not in ('email.open', 'email.click')
          )) as depth
        from added a
        where a.contact_id is not null
          and not (a.name in ('email.open', 'email.click') and a.data ? 'machine')
          and (
            (
              select true
              from workflows w
              where w.project_id = a.project_id
                and w.event_name = a.name
                and w.enabled
                and w.trigger_type = 'EVENT'
              limit 1
            )
            or (
              select true
              from waits w
              where w.project_id = a.project_id and w.contact_id = a.contact_id and w.event_name = a.name
              limit 1
            )
          )
        offset 0
      ) as matched
    ) as numbered
    group by project_id, depth, part
  ) as jobs
  having count(*) > 0;
  return null;
end $$;
comment on function start_workflows_by_events is
'Starts and resumes workflows by events, in a job of the same transaction: one job for up to 500 events that start a
workflow, or that an execution of their contact waits for, at this moment. Opens and clicks of bots start nothing. An
event of a mail that a workflow sent is one level deeper than that workflow, except for what a person does with the
mail: that adds no depth, however often it happens.

An execution that begins to wait at the same moment cannot be seen from here: it looks for the event itself
(`recheck_waits`).

Without workflows it costs one lookup in an empty table. Waits are always looked up by index: the plan is cached, and is
made when there are none.';

create trigger events_start_workflows
after insert on events referencing new table as added
for each statement execute function start_workflows_by_events();
comment on trigger events_start_workflows on events is
'Enqueues `start_workflows` for events that start or resume a workflow.';

create table execution_counts (
  project_id uuid not null references projects on delete cascade,
  day        date not null,
  started    bigint not null,
  primary key (project_id, day)
);

comment on table execution_counts is
'Executions that began on a day (UTC), except for what is still in `execution_count_deltas`.';

create table execution_count_deltas (
  project_id uuid not null,
  day        date not null,
  started    bigint not null
);

comment on table execution_count_deltas is 'What was counted since the last roll-up. Append-only.';

create index execution_count_deltas_by_project on execution_count_deltas (project_id, day);
comment on index execution_count_deltas_by_project is 'Serves the reading of counts.';

create function execution_counts_of(project uuid, first_day date, last_day date)
returns table (day date, started bigint)
language sql stable parallel safe
begin atomic
  select c.day, c.started
  from execution_counts c
  where c.project_id = project and c.day >= first_day and c.day <= last_day
  union all
  select d.day, d.started
  from execution_count_deltas d
  where d.project_id = project and d.day >= first_day and d.day <= last_day;
end;
comment on function execution_counts_of is
'Executions that began on the days (UTC) from the first to the last, inclusive. A day may have several rows, which
the reader sums up, so that none can forget what is not rolled up yet.';

create function count_executions_added() returns trigger
language plpgsql as $$
begin
  insert into execution_count_deltas (project_id, day, started)
  select project_id, (started_at at time zone 'UTC')::date, count(*)
  from added
  group by 1, 2;
  return null;
end $$;
comment on function count_executions_added is 'Counts executions in the statement that begins them.';

create function count_executions_removed() returns trigger
language plpgsql as $$
begin
  insert into execution_count_deltas (project_id, day, started)
  select project_id, (started_at at time zone 'UTC')::date, -count(*)
  from removed
  group by 1, 2;
  return null;
end $$;
comment on function count_executions_removed is
'Subtracts executions that are deleted with their workflow from the counts. Executions do not expire.';

create trigger executions_count_added
after insert on executions referencing new table as added
for each statement execute function count_executions_added();
comment on trigger executions_count_added on executions is 'Appends to `execution_count_deltas`.';

create trigger executions_count_removed
after delete on executions referencing old table as removed
for each statement execute function count_executions_removed();
comment on trigger executions_count_removed on executions is 'Appends to `execution_count_deltas`.';
