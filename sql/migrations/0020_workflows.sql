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
  project_id  uuid not null,
  id          uuid not null default uuid_v7(),
  workflow_id uuid not null,
  graph       jsonb not null,
  created_at  timestamptz not null default now(),
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade
);

-- Serves the deletion of a workflow.
create index workflow_versions_by_workflow on workflow_versions (project_id, workflow_id);

-- One contact on its way through one version of a graph.
create table executions (
  project_id      uuid not null,
  id              uuid not null default uuid_v7(),
  workflow_id     uuid not null,
  version_id      uuid not null,
  contact_id      uuid,
  status          execution_status not null default 'RUNNING',
  current_step_id uuid,
  -- Where a run must go on, once the present step is done: how often it has moved. Guards every move.
  moves           int not null default 0,
  -- The workflow allowed one execution a contact, ever, when this one began.
  is_only         boolean not null,
  -- How many workflows led to this one by their events.
  depth           int not null default 0,
  exit_reason     text,
  -- What the caller gave, and under `event` what started it or was waited for last.
  context         jsonb not null default '{}',
  -- WAITING: when it goes on by itself; null where only an event can wake it.
  wake_at         timestamptz,
  started_at      timestamptz not null default now(),
  completed_at    timestamptz,
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade,
  foreign key (project_id, contact_id) references contacts (project_id, id) on delete set null (contact_id)
);

-- The rule of re-entry: without it one execution for a contact ever, with it one at a time.
create unique index executions_only on executions (project_id, workflow_id, contact_id) where is_only;
create unique index executions_active on executions (project_id, workflow_id, contact_id)
where status in ('RUNNING', 'WAITING');

-- Serves the list of executions.
create index executions_by_workflow on executions (project_id, workflow_id, id);

-- Serves `executions.stranded`: open rows only.
create index executions_open on executions (status, wake_at) where status in ('RUNNING', 'WAITING');

-- Serves the deletion of a contact.
create index executions_by_contact on executions (project_id, contact_id);

-- What became of each step of an execution.
create table step_executions (
  project_id   uuid not null,
  id           uuid not null default uuid_v7(),
  execution_id uuid not null,
  step_id      uuid not null,
  status       step_status not null default 'RUNNING',
  -- Which branch and why, the id of a mail, the answer of a webhook.
  output       jsonb,
  error        text,
  started_at   timestamptz not null default now(),
  completed_at timestamptz,
  primary key (project_id, id),
  foreign key (project_id, execution_id) references executions (project_id, id) on delete cascade
);

-- Serves the story of one execution.
create index step_executions_by_execution on step_executions (project_id, execution_id, id);

-- What waits for an event at this moment. The row is taken away by whoever comes first, the event or the timeout.
create table waits (
  project_id   uuid not null,
  contact_id   uuid not null,
  event_name   text not null,
  execution_id uuid not null,
  primary key (project_id, contact_id, event_name, execution_id),
  foreign key (project_id, execution_id) references executions (project_id, id) on delete cascade
);

-- Serves the end of a wait by its timeout, and by cancelling.
create unique index waits_by_execution on waits (project_id, execution_id);
