-- Executions that began on a day (UTC), but for what still stands in `execution_count_deltas`.
create table execution_counts (
  project_id uuid not null references projects on delete cascade,
  day        date not null,
  started    bigint not null,
  primary key (project_id, day)
);

-- What was counted since the last fold. Only appended to.
create table execution_count_deltas (
  project_id uuid not null,
  day        date not null,
  started    bigint not null
);

-- Serves the reading of counts.
create index execution_count_deltas_by_project on execution_count_deltas (project_id, day);

-- Executions that began on the days (UTC) from one to another, both among them. A day comes in pieces, which whoever
-- reads it sums up: then nobody forgets what is not folded yet.
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

-- Counts executions in the very statement that begins them.
create function count_executions_added() returns trigger
language plpgsql as $$
begin
  insert into execution_count_deltas (project_id, day, started)
  select project_id, (started_at at time zone 'UTC')::date, count(*)
  from added
  group by 1, 2;
  return null;
end $$;

-- Executions that go with their workflow were never there. They do not expire.
create function count_executions_removed() returns trigger
language plpgsql as $$
begin
  insert into execution_count_deltas (project_id, day, started)
  select project_id, (started_at at time zone 'UTC')::date, -count(*)
  from removed
  group by 1, 2;
  return null;
end $$;

create trigger executions_count_added
after insert on executions referencing new table as added
for each statement execute function count_executions_added();

create trigger executions_count_removed
after delete on executions referencing old table as removed
for each statement execute function count_executions_removed();
