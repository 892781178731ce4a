create type workflow_trigger as enum ('EVENT', 'MANUAL', 'SCHEDULE');

create type step_type as enum (
  'TRIGGER', 'SEND_EMAIL', 'DELAY', 'WAIT_FOR_EVENT', 'CONDITION', 'WEBHOOK', 'UPDATE_CONTACT', 'EXIT'
);

create type execution_status as enum ('RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED');

create type step_status as enum ('PENDING', 'WAITING', 'RUNNING', 'COMPLETED', 'FAILED');

-- What happens to a contact after an event, at a time, or when somebody asks for it. Its steps and transitions are rows
-- that can be edited; what runs is a version of them.
create table workflows (
  project_id     uuid not null references projects on delete cascade,
  id             uuid not null default uuid_v7(),
  name           text not null check (length(name) between 1 and 255),
  description    text,
  enabled        boolean not null default false,
  trigger_type   workflow_trigger not null default 'EVENT',
  -- EVENT: `{eventName}`; SCHEDULE: `{schedule, segmentId?, timezone?}`.
  trigger_config jsonb check (jsonb_typeof(trigger_config) = 'object'),
  -- Of an enabled EVENT workflow: what is looked for when an event is recorded. Kept in step with trigger_config.
  event_name     text generated always as (trigger_config ->> 'eventName') stored,
  allow_reentry  boolean not null default false,
  -- The version of the graph as it is; null when it was edited since, and made when an execution next begins.
  version_id     uuid,
  -- SCHEDULE: when it starts next.
  next_run_at    timestamptz,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  primary key (project_id, id)
);

-- Serves `workflows.listening`: asked for every event that is recorded.
create index workflows_by_event on workflows (project_id, event_name) where enabled and trigger_type = 'EVENT';

-- Serves `workflows.due`.
create index workflows_scheduled on workflows (next_run_at) where enabled and trigger_type = 'SCHEDULE';

-- A step of a graph. Each workflow has one TRIGGER, made with it.
create table workflow_steps (
  project_id  uuid not null,
  id          uuid not null default uuid_v7(),
  workflow_id uuid not null,
  type        step_type not null,
  name        text not null check (length(name) between 1 and 255),
  position    jsonb not null default '{"x": 0, "y": 0}',
  config      jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
  template_id uuid,
  created_at  timestamptz not null default now(),
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade,
  foreign key (project_id, template_id) references templates (project_id, id)
);

-- Serves the graph of one workflow.
create index workflow_steps_by_workflow on workflow_steps (project_id, workflow_id);

-- Serves the deletion and the usage of a template.
create index workflow_steps_by_template on workflow_steps (project_id, template_id) where template_id is not null;

create table workflow_transitions (
  project_id   uuid not null,
  id           uuid not null default uuid_v7(),
  workflow_id  uuid not null,
  from_step_id uuid not null,
  to_step_id   uuid not null,
  -- `yes` and `no`, `event` and `timeout`, the id of a branch, or `default`; null where a step has one way out.
  branch       text,
  priority     int not null default 0,
  created_at   timestamptz not null default now(),
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade,
  foreign key (project_id, from_step_id) references workflow_steps (project_id, id) on delete cascade,
  foreign key (project_id, to_step_id) references workflow_steps (project_id, id) on delete cascade,
  check (from_step_id <> to_step_id)
);

-- One way out for each branch. Serves the graph of one workflow, too.
create unique index workflow_transitions_branch on workflow_transitions (
  project_id, workflow_id, from_step_id, coalesce(branch, '')
);

-- Serves the deletion of a step.
create index workflow_transitions_to on workflow_transitions (project_id, to_step_id);

-- A whole graph, once and for ever: `{steps: [{id, type, name, config, templateId}], transitions: [{id, from, to, branch}]}`.
create table workflow_versions (
  project_id    uuid not null,
  id            uuid not null default uuid_v7(),
  workflow_id   uuid not null,
  graph         jsonb not null,
  created_at    timestamptz not null default now(),
  -- Since when no execution begins with it. Null again once it is known that some did: then it is kept for them.
  superseded_at timestamptz,
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade
);

-- Serves the deletion of a workflow.
create index workflow_versions_by_workflow on workflow_versions (project_id, workflow_id);

-- Serves `workflow_versions.purge`.
create index workflow_versions_superseded on workflow_versions (superseded_at) where superseded_at is not null;

-- One contact on its way through one version of a graph.
create table executions (
  project_id        uuid not null,
  -- Of one that an event has started: made of that event and the workflow. So each event starts a workflow once.
  id                uuid not null default uuid_v7(),
  workflow_id       uuid not null,
  version_id        uuid not null,
  contact_id        uuid,
  status            execution_status not null default 'RUNNING',
  -- RUNNING: the step that comes next; WAITING: the one it waits at; FAILED or CANCELLED: how far it came.
  current_step_id   uuid,
  -- WAITING: what stands open in its story.
  step_execution_id uuid,
  -- How often it has moved. Guards every move.
  moves             int not null default 0,
  -- The workflow allowed one execution a contact, ever, when this one began.
  is_only           boolean not null,
  -- How many workflows led to this one by their events.
  depth             int not null default 0,
  -- How often the step that comes next has been tried in vain, in a way that may pass.
  tries             int not null default 0,
  exit_reason       text,
  -- What the caller gave, and under `event` the data of the event that started it or was waited for last.
  context           jsonb not null default '{}',
  -- RUNNING: since when a job knows of it. WAITING: when it goes on by itself; null where only an event can wake it.
  wake_at           timestamptz,
  started_at        timestamptz not null default now(),
  completed_at      timestamptz,
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade,
  foreign key (project_id, contact_id) references contacts (project_id, id) on delete set null (contact_id)
);

-- The rule of re-entry: without it one execution for a contact ever, with it one at a time.
create unique index executions_only on executions (project_id, workflow_id, contact_id) where is_only;
create unique index executions_active on executions (project_id, workflow_id, contact_id)
where status in ('RUNNING', 'WAITING');

-- Serves the list of executions, with a status and without.
create index executions_by_workflow on executions (project_id, workflow_id, id);
create index executions_by_status on executions (project_id, workflow_id, status, id);

-- Serves `executions.stranded`: open rows only.
create index executions_open on executions (status, wake_at) where status in ('RUNNING', 'WAITING');

-- Serves the deletion of a contact.
create index executions_by_contact on executions (project_id, contact_id);

-- What became of each step of an execution. No foreign key: it would be checked row by row, and as long as the
-- statistics say that there are few executions, by an index that holds all of a project. Stories and waits are told
-- about executions that are held or just made, and go with them by the trigger below.
create table step_executions (
  project_id   uuid not null,
  id           uuid not null default uuid_v7(),
  execution_id uuid not null,
  step_id      uuid not null,
  -- The place in the story: ids are made by the clocks of several processes.
  seq          int not null default 0,
  status       step_status not null default 'RUNNING',
  -- Which branch and why, the id of a mail, the answer of a webhook.
  output       jsonb,
  error        text,
  started_at   timestamptz not null default now(),
  completed_at timestamptz,
  primary key (project_id, id)
);

-- Serves the story of one execution.
create index step_executions_by_execution on step_executions (project_id, execution_id, seq);

-- What waits for an event at this moment. The row is taken away by whoever comes first, the event or the timeout.
create table waits (
  project_id        uuid not null,
  contact_id        uuid not null,
  event_name        text not null,
  execution_id      uuid not null,
  -- Which wait of the execution it is.
  step_execution_id uuid not null,
  -- An event that is older does not end it.
  started_at        timestamptz not null,
  primary key (project_id, contact_id, event_name, execution_id)
);

-- Serves the end of a wait by its timeout, and by cancelling.
create unique index waits_by_execution on waits (project_id, execution_id);

create function executions_take_their_own() returns trigger
language plpgsql set enable_seqscan = off as $$
begin
  delete from step_executions s using removed r where s.project_id = r.project_id and s.execution_id = r.id;
  delete from waits w using removed r where w.project_id = r.project_id and w.execution_id = r.id;
  return null;
end $$;

create trigger executions_removed
after delete on executions referencing old table as removed
for each statement execute function executions_take_their_own();

-- What the mails of steps with a template say: one content for all of them, until the template or the way in which the
-- project follows mails is another one.
create table workflow_contents (
  project_id          uuid not null,
  template_id         uuid not null,
  content_id          uuid not null,
  template_updated_at timestamptz not null,
  tracking            project_tracking not null,
  primary key (project_id, template_id),
  foreign key (project_id, template_id) references templates (project_id, id) on delete cascade
);

-- A time at which a workflow starts by its schedule, as long as it is being started for one contact after another.
create table scheduled_runs (
  project_id  uuid not null,
  id          uuid not null default uuid_v7(),
  workflow_id uuid not null,
  due_at      timestamptz not null,
  -- Contacts are walked in the order of their ids, as far as this one.
  up_to       uuid,
  -- How often in a row nothing has come of it.
  tries       int not null default 0,
  created_at  timestamptz not null,
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade
);

-- Serves the deletion of a workflow, and holds each to one start for a time.
create unique index scheduled_runs_by_workflow on scheduled_runs (project_id, workflow_id, due_at);

-- How many workflows led to what happens in this transaction, one by the events of the other: set by whoever runs them.
create function workflow_depth() returns int
language sql stable parallel safe
return coalesce(nullif(current_setting('postrider.depth', true), ''), '0')::int;

-- A contact that a workflow has changed may enter or leave a segment, and that is an event again.
alter table segment_candidates add column depth int not null default workflow_depth();

-- For who finds an event by itself, without the job that says how deep it is.
alter table events add column depth int not null default workflow_depth();

-- Whoever records events starts and resumes workflows by them, in a job of the same transaction: one for up to 500
-- events that somebody listens to or waits for at this moment. What a machine opens or clicks is nobody's event. The
-- events of a mail that a workflow sent are one further from the first than that workflow; but for what a person does
-- with it: that leads no further, however often.
--
-- Who begins to wait at this very moment cannot be seen from here: it looks for events itself (`recheck_waits`).
--
-- Where there are no workflows it costs one look at an empty table. Each look at the waiting is one at an index, whatever
-- the planner believes: its plan is kept, and made when nothing waits yet.
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
      ) as heard
    ) as numbered
    group by project_id, depth, part
  ) as jobs
  having count(*) > 0;
  return null;
end $$;

create trigger events_start_workflows
after insert on events referencing new table as added
for each statement execute function start_workflows_by_events();
