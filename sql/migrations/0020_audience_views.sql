create table segment_sizes (
  project_id uuid not null,
  segment_id uuid not null,
  day        date not null,
  members    int not null,
  primary key (project_id, segment_id, day),
  foreign key (project_id, segment_id) references segments (project_id, id) on delete cascade
);
comment on table segment_sizes is
'How many members a segment had on a day (UTC), by the last count of that day. Written by the trigger
`segments_note_size`.';

create function note_segment_size() returns trigger
language plpgsql as $$
begin
  insert into segment_sizes (project_id, segment_id, day, members)
  values (new.project_id, new.id, (now() at time zone 'utc')::date, new.member_count)
  on conflict (project_id, segment_id, day) do update set members = excluded.members;
  return null;
end $$;
comment on function note_segment_size is 'Keeps the last count of a day.';

create trigger segments_note_size
after insert or update of member_count on segments
for each row execute function note_segment_size();
comment on trigger segments_note_size on segments is 'Writes `segment_sizes`.';

insert into segment_sizes (project_id, segment_id, day, members)
select project_id, id, (now() at time zone 'utc')::date, member_count from segments;

create table contact_days (
  project_id uuid not null references projects on delete cascade,
  day        date not null,
  created    int not null,
  deleted    int not null,
  primary key (project_id, day)
);
comment on table contact_days is
'How many contacts were added and removed on a day (UTC), except for what is still in `contact_day_deltas`.';

create table contact_day_deltas (
  project_id uuid not null,
  day        date not null,
  created    int not null,
  deleted    int not null
);
comment on table contact_day_deltas is
'What was counted since the last roll-up. Append-only, so that no writer waits for another.';

create index contact_day_deltas_by_project on contact_day_deltas (project_id);
comment on index contact_day_deltas_by_project is 'Serves `contact_days.list`.';

create or replace function count_contacts_added() returns trigger
language plpgsql as $$
begin
  insert into contact_count_deltas (project_id, field, type, contacts)
  select project_id, '', case when subscribed then 'subscribed' else 'unsubscribed' end, count(*)
  from added
  group by 1, 3
  union all
  select a.project_id, f.key, contact_field_type(f.value), count(*)
  from added a, jsonb_each(a.data) f
  where f.value <> 'null'
  group by 1, 2, 3;
  insert into contact_day_deltas (project_id, day, created, deleted)
  select project_id, (created_at at time zone 'utc')::date, count(*), 0
  from added
  group by 1, 2;
  return null;
end $$;
comment on function count_contacts_added is 'Counts the fields, the subscription and the day of new contacts.';

create or replace function count_contacts_removed() returns trigger
language plpgsql as $$
begin
  insert into contact_count_deltas (project_id, field, type, contacts)
  select project_id, '', case when subscribed then 'subscribed' else 'unsubscribed' end, -count(*)
  from removed
  group by 1, 3
  union all
  select r.project_id, f.key, contact_field_type(f.value), -count(*)
  from removed r, jsonb_each(r.data) f
  where f.value <> 'null'
  group by 1, 2, 3;
  insert into contact_day_deltas (project_id, day, created, deleted)
  select project_id, (now() at time zone 'utc')::date, 0, count(*)
  from removed
  group by 1, 2;
  return null;
end $$;
comment on function count_contacts_removed is
'Subtracts the fields and the subscription of deleted contacts from the counts, and counts the contacts on the day.';

insert into contact_days (project_id, day, created, deleted)
select project_id, (created_at at time zone 'utc')::date, count(*), 0
from contacts
group by 1, 2;

alter type bulk_operation add value 'add';
alter type bulk_operation add value 'remove';
alter table bulk_jobs add column segment_id uuid;
comment on column bulk_jobs.segment_id is 'The static segment that contacts are added to or removed from.';
comment on column bulk_jobs.filter is '`{search?, subscribed?, segmentId?, condition?}`';

create function contact_activity(project uuid, before uuid, max_each int)
returns table (kind text, contact_id uuid, id uuid)
language sql stable parallel safe
begin atomic
  (
    select 'tracked', e.contact_id, e.id
    from events e
    where e.project_id = project
      and e.name not in (
        'email.sent', 'email.delivery', 'email.received', 'email.open', 'email.click', 'email.bounce', 'email.complaint',
        'contact.subscribed', 'contact.unsubscribed'
      )
      and e.id < before
    order by e.id desc
    limit max_each
  )
  union all
  select n.name, l.contact_id, l.id
  from unnest(array['email.open', 'email.click', 'contact.subscribed', 'contact.unsubscribed']) as n (name)
  cross join lateral (
    select e.contact_id, e.id
    from events e
    where e.project_id = project and e.name = n.name and not e.bot and e.id < before
    order by e.id desc
    limit max_each
  ) as l;
end;
comment on function contact_activity is
'What contacts did before an event, the newest of each kind: tracked events (from `events_triggered`), opens and clicks
by people, and subscriptions (from `events_by_name`).';

comment on index contacts_email_trigrams is
'Serves `contacts.list` and `contacts.count_matching` for search terms that few addresses contain. Finer statistics let
the planner tell those from common terms, which are better served by `contacts_newest_first`.';
