create table contacts (
  project_id     uuid not null references projects on delete cascade,
  id             uuid not null default uuid_v7(),
  email          text not null check (email = lower(email) and length(email) <= 254),
  subscribed     boolean not null,
  -- What `subscribed` was before the last write; null in a row just made. One upsert can so write the row and
  -- tell what changed, also when two of them meet. Postgres 18 has `returning old`; our floor is 15.
  was_subscribed boolean,
  -- Since when the person does not want mail: unsubscribed after having been subscribed.
  opted_out_at   timestamptz,
  data           jsonb not null default '{}' check (jsonb_typeof(data) = 'object'),
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  primary key (project_id, id),
  constraint contacts_email_unique unique (project_id, email),
  -- 64 KB of JSON; the inner form is measured first, because that costs nothing.
  constraint contacts_data_size check (pg_column_size(data) <= 32768 or octet_length(data::text) <= 65536)
) with (fillfactor = 85);

-- What happened, to whom. Rows are only added. A month (UTC) is a partition, so that an old one goes in a moment and a
-- range of time, which is a range of ids, is all that is looked at.
create table events (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null default uuid_v7(),
  contact_id uuid,
  email_id   uuid,
  name       text not null check (length(name) between 1 and 255),
  data       jsonb not null default '{}',
  -- An open or a click that no person made.
  machine    boolean not null generated always as (data ? 'machine') stored,
  created_at timestamptz not null default now(),
  primary key (project_id, id),
  foreign key (project_id, contact_id) references contacts (project_id, id) on delete cascade
) partition by range (id);

-- What belongs to no month that has been made: no event is ever refused.
create table events_default partition of events default;

-- Refuses, as a lock that cannot be had, while somebody has held one of these tables, in one of these modes (null: in any),
-- for longer than a moment: who waited for them would make everybody else wait behind him.
create function assert_not_held(tables regclass[], modes text[]) returns void
language plpgsql as $$
begin
  if exists (
    select
    from pg_locks l
    join pg_stat_activity a on a.pid = l.pid
    where l.relation = any(tables::oid[])
      and (modes is null or l.mode = any(modes))
      and l.granted
      and l.pid <> pg_backend_pid()
      and l.database = (select oid from pg_database where datname = current_database())
      and a.xact_start < clock_timestamp() - interval '200 milliseconds'
  ) then
    raise exception 'tables are held by another transaction' using errcode = 'lock_not_available';
  end if;
end $$;

-- Makes the partition of a month, such as `events_2026_11`; false when it is there. What the month has already, in the
-- default partition, moves into it; no trigger sees that, because nothing happened. It is attached when it is complete:
-- whoever is at the events waits for a moment only, and where it would be a longer one it is refused.
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
  -- In the order of those who write. Attaching would take less of the events: then who had waited for the default
  -- partition would go on with the partitions of before. A writer would be refused, because it is not the right one any
  -- more, and a reader would miss what has moved. Who waits for the whole looks anew at what it is made of.
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

select make_events_partition((date_trunc('month', now() at time zone 'UTC') + n * interval '1 month')::date)
from generate_series(0, 2) as n;

-- Serves the deletion of a contact, and later the conditions on events.
create index events_by_contact on events (project_id, contact_id, name, id);

-- The one rule of how a request changes a contact's data: values over the old ones, then the deletions.
-- `deletes` is a JSON array of keys, or null.
create function merge_contact_data(current jsonb, sets jsonb, deletes jsonb) returns jsonb
language sql immutable parallel safe
return case
  when deletes is null then current || sets
  else (current || sets) - array(select jsonb_array_elements_text(deletes))
end;
