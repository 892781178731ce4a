-- Contacts that changed, or had an event, in a project that tracks the membership of a dynamic segment: their
-- memberships are looked at again within seconds. Written by triggers, so that nobody can forget it; empty, and
-- nothing but one look at an index, where no segment is tracked.
create table segment_candidates (
  project_id uuid not null,
  contact_id uuid not null
);

-- Serves `segment_candidates.take`.
create index segment_candidates_by_project on segment_candidates (project_id);

-- Serves the triggers below and `segments.tracked`.
create index segments_tracked on segments (project_id) where track_membership and type = 'DYNAMIC';

-- Enqueues the job that looks at them: about one a second and project, however many contacts change. Its key holds the
-- second in which it is due, one to two from now, so that it cannot begin before a short transaction has committed
-- (whatever is longer is found within a minute, by wake_segments). Nobody waits for a key that another transaction has
-- not committed yet: it adds a job without one, and that job finds nothing left to do.
create function enqueue_segment_upkeep(project uuid) returns void
language plpgsql as $$
declare
  due bigint := floor(extract(epoch from clock_timestamp()))::bigint + 2;
  due_key text := 'update_segments:' || project || ':' || due;
begin
  if exists (select from graphile_worker.jobs where key = due_key) then
    return;
  end if;
  perform graphile_worker.add_job(
    'update_segments',
    json_build_object('projectId', project),
    job_key => case when pg_try_advisory_xact_lock(hashtextextended(due_key, 0)) then due_key end,
    run_at => to_timestamp(due)
  );
end $$;

-- Notes these contacts, where a segment is tracked.
create function note_segment_candidates(project_ids uuid[], contact_ids uuid[]) returns void
language plpgsql as $$
declare
  project uuid;
begin
  for project in
    with noted as (
      insert into segment_candidates (project_id, contact_id)
      select distinct n.project_id, n.contact_id
      from unnest(project_ids, contact_ids) as n (project_id, contact_id)
      where exists (
        select from segments s where s.project_id = n.project_id and s.track_membership and s.type = 'DYNAMIC'
      )
      returning project_id
    )
    select distinct project_id from noted
  loop
    perform enqueue_segment_upkeep(project);
  end loop;
end $$;

create function note_contacts_added() returns trigger
language plpgsql as $$
begin
  if exists (select from segments where track_membership and type = 'DYNAMIC') then
    perform note_segment_candidates(array_agg(project_id), array_agg(id)) from added;
  end if;
  return null;
end $$;

-- The plan of its join is kept, and made when no row has changed yet: a nested loop would then be kept for good.
create function note_contacts_changed() returns trigger
language plpgsql set enable_nestloop = off as $$
begin
  if exists (select from segments where track_membership and type = 'DYNAMIC') then
    perform note_segment_candidates(array_agg(a.project_id), array_agg(a.id))
    from added a
    join removed r on r.project_id = a.project_id and r.id = a.id
    where r.data <> a.data
      or r.subscribed <> a.subscribed
      or r.email <> a.email
      or r.updated_at <> a.updated_at and exists (
        select from segments s where s.project_id = a.project_id and s.condition::text like '%"updatedAt"%'
      );
  end if;
  return null;
end $$;

create function note_contacts_of_events() returns trigger
language plpgsql as $$
begin
  if exists (select from segments where track_membership and type = 'DYNAMIC') then
    -- The events of a membership would wake the upkeep for nothing, unless a condition asks for them.
    perform note_segment_candidates(array_agg(a.project_id), array_agg(a.contact_id))
    from added a
    where a.contact_id is not null
      and (a.name !~ '^segment[.].*[.](entry|exit)$' or exists (
        select from segments s where s.project_id = a.project_id and strpos(s.condition::text, a.name) > 0
      ));
  end if;
  return null;
end $$;

create trigger contacts_note_added
after insert on contacts referencing new table as added
for each statement execute function note_contacts_added();

create trigger contacts_note_changed
after update on contacts referencing old table as removed new table as added
for each statement execute function note_contacts_changed();

create trigger events_note_contacts
after insert on events referencing new table as added
for each statement execute function note_contacts_of_events();
