create table step_counts (
  project_id uuid not null,
  step_id    uuid not null,
  entered    int not null,
  passed     int not null,
  failed     int not null,
  primary key (project_id, step_id),
  foreign key (project_id, step_id) references workflow_steps on delete cascade
);
comment on table step_counts is
'How often executions reached each step, passed it and failed there, except for what is still in `step_count_deltas`.';

create table step_count_deltas (
  project_id uuid not null,
  step_id    uuid not null,
  entered    int not null,
  passed     int not null,
  failed     int not null
);
comment on table step_count_deltas is
'What was counted since the last roll-up. Append-only, so that no execution waits for another.';

create index step_count_deltas_by_step on step_count_deltas (project_id, step_id);
comment on index step_count_deltas_by_step is 'Serves `step_counts.list`.';

create function count_steps_added() returns trigger
language plpgsql as $$
begin
  insert into step_count_deltas (project_id, step_id, entered, passed, failed)
  select
    project_id, step_id, count(*), count(*) filter (where status = 'COMPLETED'), count(*) filter (where status = 'FAILED')
  from added
  group by 1, 2;
  return null;
end $$;
comment on function count_steps_added is
'Counts the steps that executions reach, in the statement that writes their history.';

create function count_steps_ended() returns trigger
language plpgsql set enable_nestloop to off as $$
begin
  insert into step_count_deltas (project_id, step_id, entered, passed, failed)
  select
    a.project_id, a.step_id, 0,
    count(*) filter (where a.status = 'COMPLETED'),
    count(*) filter (where a.status = 'FAILED')
  from added a
  join removed r on r.project_id = a.project_id and r.id = a.id
  where a.status in ('COMPLETED', 'FAILED') and r.status not in ('COMPLETED', 'FAILED')
  group by 1, 2;
  return null;
end $$;
comment on function count_steps_ended is
'Counts how steps that had waited end. The plan of its join is cached, and is made when few rows have changed: a nested
loop would then be kept permanently.';

create trigger step_executions_count_added
after insert on step_executions referencing new table as added
for each statement execute function count_steps_added();
comment on trigger step_executions_count_added on step_executions is 'Appends to `step_count_deltas`.';

create trigger step_executions_count_ended
after update on step_executions referencing old table as removed new table as added
for each statement execute function count_steps_ended();
comment on trigger step_executions_count_ended on step_executions is 'Appends to `step_count_deltas`.';

insert into step_counts (project_id, step_id, entered, passed, failed)
select
  e.project_id, e.step_id, count(*), count(*) filter (where e.status = 'COMPLETED'),
  count(*) filter (where e.status = 'FAILED')
from step_executions e
join workflow_steps s on s.project_id = e.project_id and s.id = e.step_id
group by 1, 2;

create index executions_at_step on executions (project_id, workflow_id, current_step_id, id)
where status in ('RUNNING', 'WAITING');
comment on index executions_at_step is 'Serves `step_counts.waiting` and `executions.at_step`.';
