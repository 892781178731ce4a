create type workflow_trigger as enum ('EVENT', 'MANUAL', 'SCHEDULE');

create table workflows (
  project_id     uuid not null references projects on delete cascade,
  id             uuid not null default uuid_v7(),
  name           text not null check (length(name) between 1 and 255),
  description    text,
  enabled        boolean not null default false,
  trigger_type   workflow_trigger not null default 'EVENT',
  trigger_config jsonb check (jsonb_typeof(trigger_config) = 'object'),
  event_name     text generated always as (trigger_config ->> 'eventName') stored,
  allow_reentry  boolean not null default false,
  version_id     uuid,
  next_run_at    timestamptz,
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  primary key (project_id, id)
);

comment on table workflows is
'What happens to a contact after an event, at a time, or on request. Its steps and transitions are rows that can be
edited; executions run a version of them.';
comment on column workflows.trigger_config is 'EVENT: `{eventName}`; SCHEDULE: `{schedule, segmentId?, timezone?}`.';
comment on column workflows.event_name is
'The name that is looked up when an event is recorded. Generated from `trigger_config`.';
comment on column workflows.version_id is
'The version of the current graph. Null after an edit, until the next execution begins and creates it.';
comment on column workflows.next_run_at is 'SCHEDULE: when it will start next.';

create index workflows_by_event on workflows (project_id, event_name) where enabled and trigger_type = 'EVENT';
comment on index workflows_by_event is
'Serves `execution_run.listening` and the trigger `events_start_workflows`, which run for every event that is
recorded.';

create index workflows_scheduled on workflows (next_run_at) where enabled and trigger_type = 'SCHEDULE';
comment on index workflows_scheduled is 'Serves `scheduled_runs.due`.';

create table workflow_steps (
  project_id  uuid not null,
  id          uuid not null default uuid_v7(),
  workflow_id uuid not null,
  type        text not null,
  name        text not null check (length(name) between 1 and 255),
  position    jsonb not null default '{"x": 0, "y": 0}',
  config      jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
  template_id uuid,
  created_at  timestamptz not null default now(),
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade,
  foreign key (project_id, template_id) references templates (project_id, id)
);

comment on table workflow_steps is 'A step of a graph. Each workflow has one TRIGGER, created with it.';
comment on column workflow_steps.type is 'One of `src/automation/steps/`: a new one needs no migration.';

create index workflow_steps_by_workflow on workflow_steps (project_id, workflow_id);
comment on index workflow_steps_by_workflow is 'Serves the graph of one workflow.';

create index workflow_steps_by_template on workflow_steps (project_id, template_id) where template_id is not null;
comment on index workflow_steps_by_template is 'Serves the deletion and the usage of a template.';

create table workflow_references (
  project_id  uuid not null,
  kind        text not null check (kind in ('SEGMENT', 'EVENT')),
  name        text not null check (length(name) <= 255),
  step_id     uuid not null,
  workflow_id uuid not null,
  primary key (project_id, kind, name, step_id),
  foreign key (project_id, step_id) references workflow_steps (project_id, id) on delete cascade
);

comment on table workflow_references is
'The segments and events that the steps of workflows name. Written whenever a step is saved; those of the trigger come
from its workflow. Templates have a column of their own.';
comment on column workflow_references.name is 'The id of a segment, or the name of an event.';

create index workflow_references_by_step on workflow_references (project_id, step_id);
comment on index workflow_references_by_step is 'Serves the saving and the deletion of a step.';

create table workflow_transitions (
  project_id   uuid not null,
  id           uuid not null default uuid_v7(),
  workflow_id  uuid not null,
  from_step_id uuid not null,
  to_step_id   uuid not null,
  branch       text,
  priority     int not null default 0,
  created_at   timestamptz not null default now(),
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade,
  foreign key (project_id, from_step_id) references workflow_steps (project_id, id) on delete cascade,
  foreign key (project_id, to_step_id) references workflow_steps (project_id, id) on delete cascade,
  check (from_step_id <> to_step_id)
);

comment on table workflow_transitions is 'The connections from step to step.';
comment on column workflow_transitions.branch is
'`yes` and `no`, `event` and `timeout`, the id of a branch, or `default`; null if a step has only one.';

create unique index workflow_transitions_branch on workflow_transitions (
  project_id, workflow_id, from_step_id, coalesce(branch, '')
);
comment on index workflow_transitions_branch is
'One transition for each branch. Also serves the graph of one workflow.';

create index workflow_transitions_to on workflow_transitions (project_id, to_step_id);
comment on index workflow_transitions_to is 'Serves the deletion of a step.';

create table workflow_versions (
  project_id    uuid not null,
  id            uuid not null default uuid_v7(),
  workflow_id   uuid not null,
  graph         jsonb not null,
  created_at    timestamptz not null default now(),
  superseded_at timestamptz,
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade
);

comment on table workflow_versions is
'A whole graph, never changed. `{steps: [{id, type, name, config, templateId}], transitions: [{id, from, to,
branch}]}`';
comment on column workflow_versions.superseded_at is
'Since when no execution has begun with it. Null again once it is known that some had: then it is kept for them.';

create index workflow_versions_by_workflow on workflow_versions (project_id, workflow_id);
comment on index workflow_versions_by_workflow is 'Serves the deletion of a workflow.';

create index workflow_versions_superseded on workflow_versions (superseded_at) where superseded_at is not null;
comment on index workflow_versions_superseded is 'Serves `workflow_versions.purge`.';

create table workflow_contents (
  project_id          uuid not null,
  template_id         uuid not null,
  content_id          uuid not null,
  template_updated_at timestamptz not null,
  tracking            project_tracking not null,
  primary key (project_id, template_id),
  foreign key (project_id, template_id) references templates (project_id, id) on delete cascade
);

comment on table workflow_contents is
'The contents of mails that steps with a template send: one for all mails of a step, until the template or the tracking
setting of the project changes.';

create table scheduled_runs (
  project_id  uuid not null,
  id          uuid not null default uuid_v7(),
  workflow_id uuid not null,
  due_at      timestamptz not null,
  up_to       uuid,
  tries       int not null default 0,
  created_at  timestamptz not null,
  primary key (project_id, id),
  foreign key (project_id, workflow_id) references workflows (project_id, id) on delete cascade
);

comment on table scheduled_runs is
'A time at which a workflow starts by its schedule. The row stays while the workflow is being started for one contact
after another.';
comment on column scheduled_runs.up_to is 'Contacts are read in the order of their ids; this one was the last.';
comment on column scheduled_runs.tries is 'How many attempts in a row have failed.';

create unique index scheduled_runs_by_workflow on scheduled_runs (project_id, workflow_id, due_at);
comment on index scheduled_runs_by_workflow is
'Serves the deletion of a workflow, and allows only one run for each time.';
