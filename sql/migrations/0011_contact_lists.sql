create extension if not exists pg_trgm;

-- Serves `contacts.list` in its default order, and its cursor.
create index contacts_newest_first on contacts (project_id, created_at desc, id desc);

-- Serves `contacts.list` and `contacts.count_matching_search` for search terms that few addresses contain. With the
-- finer statistics the planner tells those from common terms, for which the index above is the way.
create index contacts_email_trigrams on contacts using gin (email gin_trgm_ops);
alter table contacts alter column email set statistics 1000;

-- How many contacts of a project have a field, by the type of its value; and, under the field '', how many there are
-- in all, by subscription. Kept by triggers, so that nobody who writes contacts can forget it.
create table contact_counts (
  project_id uuid not null references projects on delete cascade,
  field      text not null,
  type       text not null,
  contacts   bigint not null,
  primary key (project_id, field, type)
);

-- What was added since the last fold. Only appended to, so that no writer waits for another one.
create table contact_count_deltas (
  project_id uuid not null,
  field      text not null,
  type       text not null,
  contacts   bigint not null
);

-- Serves `contact_counts.by_project`.
create index contact_count_deltas_by_project on contact_count_deltas (project_id);

-- The type under which a value counts: what is neither number, boolean nor date is a string.
create function contact_field_type(value jsonb) returns text
language sql stable parallel safe
return case jsonb_typeof(value)
  when 'number' then 'number'
  when 'boolean' then 'boolean'
  when 'string' then case
    -- The look at a date is costly, and most text does not even resemble one.
    when value #>> '{}' not like '____-__-__%' then 'string'
    when instant_of(value #>> '{}') is null then 'string'
    else 'date'
  end
  else 'string'
end;

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

-- Only what differs is counted: most writes change neither the subscription nor the set of fields.
-- The plan of its join is kept, and made when no row has changed yet: a nested loop would then be kept for good.
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

create trigger contacts_count_added
after insert on contacts referencing new table as added
for each statement execute function count_contacts_added();

create trigger contacts_count_removed
after delete on contacts referencing old table as removed
for each statement execute function count_contacts_removed();

create trigger contacts_count_changed
after update on contacts referencing old table as removed new table as added
for each statement execute function count_contacts_changed();
