-- Events of a name on a day (UTC, of `created_at`), but for what still stands in `event_count_deltas`. They outlive the
-- partitions of the events.
create table event_counts (
  project_id uuid not null references projects on delete cascade,
  day        date not null,
  name       text not null,
  count      bigint not null,
  primary key (project_id, day, name)
);

-- Serves the counting of one name.
create index event_counts_by_name on event_counts (project_id, name, day);

-- The same of all days together, so that a project that is ten years old is not slower than a new one.
create table event_totals (
  project_id uuid not null references projects on delete cascade,
  name       text not null,
  count      bigint not null,
  primary key (project_id, name)
);

-- What was counted since the last fold. Only appended to.
create table event_count_deltas (
  project_id uuid not null,
  day        date not null,
  name       text not null,
  count      bigint not null
);

-- Serves the reading of counts.
create index event_count_deltas_by_project on event_count_deltas (project_id, day);

-- Events by name on the days (UTC) from one to another, both among them. A day comes in pieces, which whoever reads it
-- sums up: then nobody forgets what is not folded yet.
create function event_counts_of(project uuid, first_day date, last_day date)
returns table (day date, name text, count bigint)
language sql stable parallel safe
begin atomic
  select c.day, c.name, c.count
  from event_counts c
  where c.project_id = project and c.day >= first_day and c.day <= last_day
  union all
  select d.day, d.name, d.count
  from event_count_deltas d
  where d.project_id = project and d.day >= first_day and d.day <= last_day;
end;

-- Events by name of all time. A name comes in pieces too, and may come to nothing.
create function event_totals_of(project uuid)
returns table (name text, count bigint)
language sql stable parallel safe
begin atomic
  select t.name, t.count
  from event_totals t
  where t.project_id = project
  union all
  select d.name, d.count
  from event_count_deltas d
  where d.project_id = project;
end;

-- Counts events in the very statement that records them.
create function count_events_added() returns trigger
language plpgsql as $$
begin
  insert into event_count_deltas (project_id, day, name, count)
  select project_id, (created_at at time zone 'UTC')::date, name, count(*)
  from added
  group by 1, 2, 3;
  return null;
end $$;

-- Events that go with their contact, or by their name, were never there. A partition that is dropped takes none along.
create function count_events_removed() returns trigger
language plpgsql as $$
begin
  insert into event_count_deltas (project_id, day, name, count)
  select project_id, (created_at at time zone 'UTC')::date, name, -count(*)
  from removed
  group by 1, 2, 3;
  return null;
end $$;

create trigger events_count_added
after insert on events referencing new table as added
for each statement execute function count_events_added();

create trigger events_count_removed
after delete on events referencing old table as removed
for each statement execute function count_events_removed();
