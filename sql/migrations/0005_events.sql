create table events (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null default uuid_v7(),
  contact_id uuid,
  email_id   uuid,
  name       text not null check (length(name) between 1 and 255),
  data       jsonb not null default '{}',
  bot        boolean not null generated always as (data ? 'machine') stored,
  created_at timestamptz not null default now(),
  depth      int not null default workflow_depth(),
  primary key (project_id, id),
  foreign key (project_id, contact_id) references contacts (project_id, id) on delete cascade
) partition by range (id);

comment on table events is
'What happened, and to whom. Rows are only added. Each month (UTC) is a partition: an old one is dropped in one step,
and a range of time, which is a range of ids, reads only its own partitions.';
comment on column events.bot is 'An open or a click that was not made by a person.';
comment on column events.depth is
'The value of `workflow_depth`, for code that finds an event without the job that carries its depth.';

create table events_default partition of events default;
comment on table events_default is 'Events of months without a partition: no event is ever refused.';

create function make_events_partition(month date) returns boolean
language plpgsql set lock_timeout = '200ms' as $$
declare
  partition text := to_char(month, '"events_"YYYY_MM');
  first uuid := first_id_at(date_trunc('month', month)::timestamp at time zone 'UTC');
  next uuid := first_id_at((date_trunc('month', month) + interval '1 month')::timestamp at time zone 'UTC');
  columns text;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions of events', 0));
  if to_regclass(partition) is not null then
    return false;
  end if;
  perform assert_not_held(array['projects', 'contacts']::regclass[], array[
    'RowExclusiveLock', 'ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock',
    'AccessExclusiveLock'
  ]);
  perform assert_not_held(array['events', 'events_default']::regclass[], null);
  select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
  into columns
  from pg_attribute a
  where a.attrelid = 'events'::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '';
  execute format('create table %I (like events including all)', partition);
  -- In the order in which writers lock. Attaching alone would take a weaker lock on `events`: a transaction that had
  -- waited for the default partition would then continue with the old list of partitions. A writer would be refused,
  -- because that partition is no longer the right one, and a reader would miss the rows that have moved. A transaction
  -- that waits for the whole table reads the list of partitions again.
  lock table projects, contacts in share row exclusive mode;
  lock table only events in access exclusive mode;
  lock table events_default in access exclusive mode;
  execute format(
    'with moved as (delete from events_default where id >= %1$L and id < %2$L returning %4$s)
    insert into %3$I (%4$s) select * from moved',
    first, next, partition, columns
  );
  execute format('alter table events attach partition %I for values from (%L) to (%L)', partition, first, next);
  return true;
end $$;
comment on function make_events_partition is
'Creates the partition of a month, such as `events_2026_11`; returns false if it exists. Events of the month that are in
the default partition move into it; no trigger fires for them, because they are not new. It is attached when complete:
readers and writers of events wait only for a moment. If they would have to wait longer, it fails instead.';

select make_events_partition((date_trunc('month', now() at time zone 'UTC') + n * interval '1 month')::date)
from generate_series(0, 2) as n;

create function drop_events_partition(partition text) returns boolean
language plpgsql set lock_timeout = '200ms' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions of events', 0));
  if not exists (
    select
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass and c.relname = partition and partition ~ '^events_\d{4}_\d{2}$'
  ) then
    return false;
  end if;
  perform assert_not_held(array['events', 'events_default', partition]::regclass[], null);
  execute format('drop table %I', partition);
  return true;
end $$;
comment on function drop_events_partition is
'Drops a partition of events in one statement: if the process is killed meanwhile, nothing has changed. A partition
cannot be detached concurrently while there is a default partition. Readers and writers of events wait only for a
moment. If they would have to wait longer, it fails instead.';

create index events_by_contact on events (project_id, contact_id, name, id);
comment on index events_by_contact is 'Serves the deletion of a contact, and conditions on events.';

create index events_by_name on events (project_id, name, id) include (contact_id, bot);
comment on index events_by_name is
'Serves conditions on events over a whole audience: from the index alone if no time is given, and in the order of
time, which is that of ids. A count of 5,000,000 events takes a quarter to half of the time that it takes without it.
Also serves `activity.page`.';

create index events_triggered on events (project_id, id)
where name not in (
  'email.sent', 'email.delivery', 'email.received', 'email.open', 'email.click', 'email.bounce', 'email.complaint',
  'contact.subscribed', 'contact.unsubscribed'
);
comment on index events_triggered is
'Serves `activity.page`: events that concern neither mails nor subscriptions, that is, those that a client tracks and
those of segments. If a project sends a thousand mails for each of them, they are found without reading past those.
The feed is in the order of event ids; everything else in it is placed by the lowest id possible at its time. (The id
of an execution holds the time of its event, not its own.)';

create table event_counts (
  project_id uuid not null references projects on delete cascade,
  day        date not null,
  name       text not null,
  count      bigint not null,
  primary key (project_id, day, name)
);

comment on table event_counts is
'Events by name and day (UTC, of `created_at`), except for those still in `event_count_deltas`. The counts outlive the
partitions of the events.';

create index event_counts_by_name on event_counts (project_id, name, day);
comment on index event_counts_by_name is 'Serves the counts of one name.';

create table event_totals (
  project_id uuid not null references projects on delete cascade,
  name       text not null,
  count      bigint not null,
  primary key (project_id, name)
);

comment on table event_totals is
'Events by name, over all days, except for those still in `event_count_deltas`. With it, a project of ten years is not
slower than a new one.';

create table event_count_deltas (
  project_id uuid not null,
  day        date not null,
  name       text not null,
  count      bigint not null
);

comment on table event_count_deltas is 'What was counted since the last roll-up. Append-only.';

create index event_count_deltas_by_project on event_count_deltas (project_id, day);
comment on index event_count_deltas_by_project is 'Serves the reading of counts.';

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
comment on function event_counts_of is
'Events by name on the days (UTC) from the first to the last, inclusive. A day may have several rows, which the
reader sums up, so that none can forget what is not rolled up yet.';

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
comment on function event_totals_of is
'Events by name, of all time. A name may have several rows here, too, and may sum up to zero.';

create function count_events_added() returns trigger
language plpgsql as $$
begin
  insert into event_count_deltas (project_id, day, name, count)
  select project_id, (created_at at time zone 'UTC')::date, name, count(*)
  from added
  group by 1, 2, 3;
  return null;
end $$;
comment on function count_events_added is 'Counts events in the statement that records them.';

create function count_events_removed() returns trigger
language plpgsql as $$
begin
  insert into event_count_deltas (project_id, day, name, count)
  select project_id, (created_at at time zone 'UTC')::date, name, -count(*)
  from removed
  group by 1, 2, 3;
  return null;
end $$;
comment on function count_events_removed is
'Subtracts events that are deleted, with their contact or by their name, from the counts. Dropping a partition leaves
the counts as they are.';

create trigger events_count_added
after insert on events referencing new table as added
for each statement execute function count_events_added();
comment on trigger events_count_added on events is 'Appends to `event_count_deltas`.';

create trigger events_count_removed
after delete on events referencing old table as removed
for each statement execute function count_events_removed();
comment on trigger events_count_removed on events is 'Appends to `event_count_deltas`.';
