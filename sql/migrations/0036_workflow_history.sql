alter table workflows
  add column graph_version int not null default 1,
  add column graph_edited_at timestamptz not null default now(),
  add column graph_edited_by text default nullif(current_setting('postrider.editor', true), '');
comment on column workflows.graph_version is 'The number of the current graph: each edit increases it by one.';
comment on column workflows.graph_edited_at is 'When the graph was last edited; other edits do not count.';
update workflows set graph_edited_at = edited_at, graph_edited_by = edited_by;

create table workflow_graphs (
  project_id  uuid not null,
  workflow_id uuid not null,
  version     int not null,
  graph       jsonb not null,
  steps       int not null,
  created_at  timestamptz not null,
  created_by  text,
  primary key (project_id, workflow_id, version),
  foreign key (project_id, workflow_id) references workflows on delete cascade
);
comment on table workflow_graphs is
'Earlier graphs of a workflow, up to 99 of them. The current one is in `workflow_steps` and `workflow_transitions`.
`{steps: [{id, type, name, position, config, templateId}], transitions: [{from, to, branch, priority}]}`';
comment on column workflow_graphs.created_by is 'Who created this graph: an address, or which key. Null if unknown.';

alter table workflow_versions add column graph_version int;
comment on column workflow_versions.graph_version is
'The number of this graph in the history of the workflow. Null if it was created before graphs had numbers.';
update workflow_versions v
set graph_version = 1
from workflows w
where w.project_id = v.project_id and w.version_id = v.id;

create table branch_counts (
  project_id uuid not null,
  step_id    uuid not null,
  branch     text not null,
  passed     int not null,
  primary key (project_id, step_id, branch),
  foreign key (project_id, step_id) references workflow_steps on delete cascade
);
comment on table branch_counts is
'How often executions left each step by each branch, except for what is still in `step_count_deltas`.';

alter table step_count_deltas add column branch text;
comment on column step_count_deltas.branch is 'The branch by which those that passed left; null if the step has none.';

create or replace function count_steps_added() returns trigger
language plpgsql as $$
begin
  insert into step_count_deltas (project_id, step_id, entered, passed, failed, branch)
  select
    project_id, step_id, count(*), count(*) filter (where status = 'COMPLETED'), count(*) filter (where status = 'FAILED'),
    case when status = 'COMPLETED' then output ->> 'branch' end as taken
  from added
  group by project_id, step_id, taken;
  return null;
end $$;

create or replace function count_steps_ended() returns trigger
language plpgsql set enable_nestloop to off as $$
begin
  insert into step_count_deltas (project_id, step_id, entered, passed, failed, branch)
  select
    a.project_id, a.step_id, 0,
    count(*) filter (where a.status = 'COMPLETED'),
    count(*) filter (where a.status = 'FAILED'),
    case when a.status = 'COMPLETED' then a.output ->> 'branch' end as taken
  from added a
  join removed r on r.project_id = a.project_id and r.id = a.id
  where a.status in ('COMPLETED', 'FAILED') and r.status not in ('COMPLETED', 'FAILED')
  group by a.project_id, a.step_id, taken;
  return null;
end $$;
