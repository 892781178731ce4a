create type segment_type as enum ('DYNAMIC', 'STATIC');

create table segments (
  project_id       uuid not null references projects on delete cascade,
  id               uuid not null default uuid_v7(),
  name             text not null check (length(name) between 1 and 100),
  slug             text not null check (length(slug) >= 1),
  description      text check (length(description) <= 500),
  type             segment_type not null default 'DYNAMIC',
  condition        jsonb check (jsonb_typeof(condition) = 'object'),
  track_membership boolean not null default false,
  member_count     int not null default 0 check (member_count >= 0),
  computed_at      timestamptz,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  primary key (project_id, id),
  constraint segments_slug_unique unique (project_id, slug),
  constraint segments_condition_by_type check ((type = 'DYNAMIC') = (condition is not null))
);

comment on table segments is
'A named part of the audience. Its members are the contacts that match a condition, or a list kept by hand.';
comment on column segments.slug is
'Fixed when the segment is created: the names of its entry and exit events contain it.';
comment on column segments.computed_at is
'When the members or their count were last computed; null when they never were.';

create index segments_tracked on segments (project_id) where track_membership and type = 'DYNAMIC';
comment on index segments_tracked is 'Serves `note_segment_candidates` and `segments.tracked`.';

create table segment_members (
  project_id uuid not null,
  segment_id uuid not null,
  contact_id uuid not null,
  entered_at timestamptz not null default now(),
  primary key (project_id, segment_id, contact_id),
  foreign key (project_id, segment_id) references segments (project_id, id) on delete cascade,
  foreign key (project_id, contact_id) references contacts (project_id, id) on delete cascade
);

comment on table segment_members is
'The members of segments. For a tracked dynamic segment: its members when it was last computed.';

create index segment_members_by_contact on segment_members (project_id, contact_id, segment_id);
comment on index segment_members_by_contact is 'Serves the deletion of a contact, and the segments of one contact.';

create table segment_candidates (
  project_id uuid not null,
  contact_id uuid not null,
  depth      int not null default workflow_depth()
);

comment on table segment_candidates is
'Contacts to check again, because they may enter or leave a segment. They changed, or had an event, in a project that
tracks the members of a dynamic segment; they are checked within seconds. Written by triggers, so that no statement can
forget to. If no segment is tracked, it stays empty, at the cost of one index lookup.';
comment on column segment_candidates.depth is
'The value of `workflow_depth`: a contact that a workflow changed may enter or leave a segment, which is another
event.';

create index segment_candidates_by_project on segment_candidates (project_id);
comment on index segment_candidates_by_project is 'Serves `segment_candidates.take`.';

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
comment on function enqueue_segment_upkeep is
'Enqueues the job that computes them: about one per second and project, however many contacts change. The job key
contains the second in which the job is due, one to two from now, so that it cannot begin before a short transaction
has committed (longer ones are found within a minute, by wake_segments). No transaction waits for a key that another one
has not committed yet: it adds a job without a key, which finds nothing left to do.';

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
comment on function note_segment_candidates is
'Adds these contacts to `segment_candidates` if their project tracks a segment.';

create function note_contacts_added() returns trigger
language plpgsql as $$
begin
  if exists (select from segments where track_membership and type = 'DYNAMIC') then
    perform note_segment_candidates(array_agg(project_id), array_agg(id)) from added;
  end if;
  return null;
end $$;
comment on function note_contacts_added is 'A new contact may belong to a tracked segment.';

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
comment on function note_contacts_changed is
'A contact that has changed in a field that conditions use may enter or leave a tracked segment.
The plan of its join is cached, and is made when few rows have changed: a nested loop would then be kept permanently.';

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
comment on function note_contacts_of_events is 'A contact that had an event may enter or leave a tracked segment.';

create trigger contacts_note_added
after insert on contacts referencing new table as added
for each statement execute function note_contacts_added();
comment on trigger contacts_note_added on contacts is 'Appends to `segment_candidates`, where a segment is tracked.';

create trigger contacts_note_changed
after update on contacts referencing old table as removed new table as added
for each statement execute function note_contacts_changed();
comment on trigger contacts_note_changed on contacts is 'Appends to `segment_candidates`, where a segment is tracked.';

create trigger events_note_contacts
after insert on events referencing new table as added
for each statement execute function note_contacts_of_events();
comment on trigger events_note_contacts on events is 'Appends to `segment_candidates`, where a segment is tracked.';
