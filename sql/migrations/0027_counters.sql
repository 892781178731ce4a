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

-- What was counted since the last fold. Only appended to.
create table event_count_deltas (
  project_id uuid not null,
  day        date not null,
  name       text not null,
  count      bigint not null
);

-- Serves the reading of counts.
create index event_count_deltas_by_project on event_count_deltas (project_id, day);

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
