create extension if not exists pg_trgm;

create table contacts (
  project_id     uuid not null references projects on delete cascade,
  id             uuid not null default uuid_v7(),
  email          text not null check (email = lower(email) and length(email) <= 254),
  subscribed     boolean not null,
  was_subscribed boolean,
  opted_out_at   timestamptz,
  data           jsonb not null default '{}' check (jsonb_typeof(data) = 'object'),
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  primary key (project_id, id),
  constraint contacts_email_unique unique (project_id, email),
  constraint contacts_data_size check (pg_column_size(data) <= 32768 or octet_length(data::text) <= 65536)
) with (fillfactor = 85);

comment on table contacts is 'The audience: people to write to.';
comment on column contacts.was_subscribed is
'`subscribed` before the last write; null in a new row. With it a single upsert writes the row and reports what
changed, even when two upserts meet. Postgres 18 has `returning old`; we support 15.';
comment on column contacts.opted_out_at is
'Since when the person has not wanted mail: unsubscribed after having been subscribed.';
comment on constraint contacts_data_size on contacts is
'64 KB of JSON. The stored size is checked first, because that costs nothing.';

alter table contacts alter column email set statistics 1000;

create index contacts_newest_first on contacts (project_id, created_at desc, id desc);
comment on index contacts_newest_first is 'Serves `contacts.list` in its default order, and its cursor.';

create index contacts_email_trigrams on contacts using gin (email gin_trgm_ops);
comment on index contacts_email_trigrams is
'Serves `contacts.list` and `contacts.count_matching_search` for search terms that few addresses contain. Finer
statistics let the planner tell those from common terms, which are better served by `contacts_newest_first`.';

create function merge_contact_data(current jsonb, sets jsonb, deletes jsonb) returns jsonb
language sql immutable parallel safe
return case
  when deletes is null then current || sets
  else (current || sets) - array(select jsonb_array_elements_text(deletes))
end;
comment on function merge_contact_data is
'How every request changes the data of a contact: new values replace old ones, then keys are deleted. `deletes` is a
JSON array of keys, or null.';

create function is_reset(r resets, c contacts) returns boolean
language sql immutable parallel safe
return c.id <= r.contacts;
comment on function is_reset(resets, contacts) is 'Whether a reset removes a contact.';

create table contact_counts (
  project_id uuid not null references projects on delete cascade,
  field      text not null,
  type       text not null,
  contacts   bigint not null,
  primary key (project_id, field, type)
);

comment on table contact_counts is
'How many contacts have a field, by the type of its value. Under the field '''': the number of contacts, by
subscription. Maintained by triggers, so that no statement can forget to.';

create table contact_count_deltas (
  project_id uuid not null,
  field      text not null,
  type       text not null,
  contacts   bigint not null
);

comment on table contact_count_deltas is
'What was counted since the last roll-up. Append-only, so that no writer waits for another.';

create index contact_count_deltas_by_project on contact_count_deltas (project_id);
comment on index contact_count_deltas_by_project is 'Serves `contact_counts.by_project`.';

create function contact_field_type(value jsonb) returns text
language sql stable parallel safe
return case jsonb_typeof(value)
  when 'number' then 'number'
  when 'boolean' then 'boolean'
  when 'string' then case
    -- Checking for a date is costly, and most text does not even resemble one.
    when value #>> '{}' not like '____-__-__%' then 'string'
    when instant_of(value #>> '{}') is null then 'string'
    else 'date'
  end
  else 'string'
end;
comment on function contact_field_type is
'The type under which a value is counted: whatever is not a number, boolean or date is a string.';

create function count_contacts_added() returns trigger
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
  return null;
end $$;
comment on function count_contacts_added is 'Counts the fields and the subscription of new contacts.';

create function count_contacts_removed() returns trigger
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
  return null;
end $$;
comment on function count_contacts_removed is
'Subtracts the fields and the subscription of deleted contacts from the counts.';

create function count_contacts_changed() returns trigger
language plpgsql set enable_nestloop = off as $$
begin
  insert into contact_count_deltas (project_id, field, type, contacts)
  with changed as (
    select a.project_id, r.subscribed as was_subscribed, a.subscribed, r.data as old_data, a.data
    from added a
    join removed r on r.project_id = a.project_id and r.id = a.id
    where r.subscribed <> a.subscribed or r.data <> a.data
  ),
  counted as (
    select project_id, '' as field, case when subscribed then 'subscribed' else 'unsubscribed' end as type, 1 as n
    from changed
    where subscribed <> was_subscribed
    union all
    select project_id, '', case when was_subscribed then 'subscribed' else 'unsubscribed' end, -1
    from changed
    where subscribed <> was_subscribed
    union all
    select c.project_id, f.key, contact_field_type(f.value), 1
    from changed c, jsonb_each(c.data) f
    where c.data <> c.old_data and f.value <> 'null'
    union all
    select c.project_id, f.key, contact_field_type(f.value), -1
    from changed c, jsonb_each(c.old_data) f
    where c.data <> c.old_data and f.value <> 'null'
  )
  select project_id, field, type, sum(n)
  from counted
  group by 1, 2, 3
  having sum(n) <> 0;
  return null;
end $$;
comment on function count_contacts_changed is
'Counts only what differs: most writes change neither the subscription nor the set of fields.
The plan of its join is cached, and is made when few rows have changed: a nested loop would then be kept permanently.';

create trigger contacts_count_added
after insert on contacts referencing new table as added
for each statement execute function count_contacts_added();
comment on trigger contacts_count_added on contacts is 'Appends to `contact_count_deltas`.';

create trigger contacts_count_removed
after delete on contacts referencing old table as removed
for each statement execute function count_contacts_removed();
comment on trigger contacts_count_removed on contacts is 'Appends to `contact_count_deltas`.';

create trigger contacts_count_changed
after update on contacts referencing old table as removed new table as added
for each statement execute function count_contacts_changed();
comment on trigger contacts_count_changed on contacts is
'Appends to `contact_count_deltas` if the subscription or a field differs.';

create type contact_job_state as enum ('waiting', 'active', 'completed', 'failed');

create table contact_imports (
  project_id    uuid not null references projects on delete cascade,
  id            uuid not null default uuid_v7(),
  state         contact_job_state not null default 'waiting',
  dry_run       boolean not null,
  row_count     int,
  rows_done     int not null default 0,
  created_count int not null default 0,
  updated_count int not null default 0,
  failure_count int not null default 0,
  errors        jsonb not null default '[]',
  failed_reason text,
  created_at    timestamptz not null default now(),
  finished_at   timestamptz,
  primary key (project_id, id),
  check ((finished_at is not null) = (state in ('completed', 'failed')))
);

comment on table contact_imports is
'Imports of contacts from files. A row is both the job and its report; `rows_done` is its progress.';
comment on column contact_imports.row_count is 'Null until the whole file has been read once.';
comment on column contact_imports.errors is 'The first 1,000: `{row, email, error}`.';

create index contact_imports_finished on contact_imports (finished_at) where finished_at is not null;
comment on index contact_imports_finished is 'Serves `retention.drop_imports`.';

create table contact_import_pieces (
  project_id uuid not null,
  import_id  uuid not null,
  position   int not null check (position >= 0),
  deflated   bytea not null check (octet_length(deflated) <= 70000),
  primary key (project_id, import_id, position),
  foreign key (project_id, import_id) references contact_imports (project_id, id) on delete cascade
);

comment on table contact_import_pieces is
'The file of an import, until it is done. In pieces of 64 KB, so that no process holds more than one of them in memory;
deflated (RFC 1951) before they are sent here, because the driver sends every byte as two characters.';

-- Compressed already.
alter table contact_import_pieces alter column deflated set storage external;

create type bulk_operation as enum ('subscribe', 'unsubscribe', 'delete');

create table bulk_jobs (
  project_id      uuid not null references projects on delete cascade,
  id              uuid not null default uuid_v7(),
  operation       bulk_operation not null,
  state           contact_job_state not null default 'waiting',
  contact_ids     uuid[],
  filter          jsonb,
  exclude_ids     uuid[] not null default '{}',
  after_id        uuid,
  contact_count   int,
  success_count   int not null default 0,
  unchanged_count int not null default 0,
  failure_count   int not null default 0,
  errors          jsonb not null default '[]',
  failed_reason   text,
  created_at      timestamptz not null default now(),
  finished_at     timestamptz,
  primary key (project_id, id),
  check ((contact_ids is null) <> (filter is null)),
  check ((finished_at is not null) = (state in ('completed', 'failed')))
);

comment on table bulk_jobs is
'Work on many contacts: those in `contact_ids`, or those that match `filter`. `after_id` is how far it has got.';
comment on column bulk_jobs.filter is '`{search?, subscribed?, segmentId?}`';
comment on column bulk_jobs.contact_count is 'Null until counted.';
comment on column bulk_jobs.errors is 'The first 1,000: `{contactId, error}`.';

create index bulk_jobs_finished on bulk_jobs (finished_at) where finished_at is not null;
comment on index bulk_jobs_finished is 'Serves `retention.drop_bulk_jobs`.';
