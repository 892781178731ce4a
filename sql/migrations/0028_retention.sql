-- When an id was made: the inverse of `first_id_at`, to the millisecond.
create function time_of_id(id uuid) returns timestamptz
language sql immutable strict parallel safe
return to_timestamp(('x' || left(translate(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0);

-- Drops a partition of events, in one statement: whoever is killed here leaves it as it was. It cannot be detached
-- concurrently, as long as there is a default partition. Everybody who works with events waits for a moment, and where it
-- would be a longer one it is refused.
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

-- A message whose body nobody needs any more keeps what its mails are known by: subject, sender, template.
alter table contents
alter column html drop not null,
add column emptied_at timestamptz,
add check ((html is null) = (emptied_at is not null));

-- Serves `retention.empty_contents`: those that have a body, the oldest first.
create index contents_full on contents (id) where emptied_at is null;

-- Serves `retention.empty_contents`: the campaign of a content.
create index campaigns_by_content on campaigns (project_id, content_id) where content_id is not null;

-- Serve `retention.drop_imports` and `retention.drop_bulk_jobs`.
create index contact_imports_finished on contact_imports (finished_at) where finished_at is not null;
create index bulk_jobs_finished on bulk_jobs (finished_at) where finished_at is not null;
