-- Pages of events. Functions, because one plan must be kept for all parameters: Postgres otherwise makes one for each page, with
-- all partitions, which takes five times as long as to read it.

create function project_events(project uuid, named text, since uuid, before uuid, max_rows int) returns setof events
language plpgsql stable
set plan_cache_mode = 'force_generic_plan'
as $$
begin
  if named is null then
    return query
    select e.*
    from events e
    where e.project_id = project and e.id >= since and e.id < before
    order by e.id desc
    limit max_rows;
  else
    return query
    select e.*
    from events e
    where e.project_id = project
      and (e.name, e.id) >= (named, since)
      and (e.name, e.id) < (named, before)
      and e.id >= since
      and e.id < before
    order by e.name desc, e.id desc
    limit max_rows;
  end if;
end $$;
comment on function project_events is
'The newest events of a project between two ids: of one name, or of all where that is null. One plan is kept for all
parameters: Postgres would otherwise make one for each page, with all partitions, which takes five times as long as to read
them. Names are compared as a range of the index: for a name that it does not know, the planner assumes very few rows, and
would read all of them to sort them.';

create function contact_events(
  project uuid, contact uuid, since uuid, before uuid, recent uuid, names text[], others boolean, max_rows int
) returns setof uuid
language plpgsql stable
set plan_cache_mode = 'force_generic_plan'
as $$
declare
  reserved constant text[] := array[
    'email.sent', 'email.delivery', 'email.received', 'email.open', 'email.click', 'email.bounce', 'email.complaint',
    'contact.subscribed', 'contact.unsubscribed'
  ];
  wanted text[] := names;
  found_ids uuid[];
  found_names text[];
  rows_found int;
begin
  select array_agg(f.id), array_agg(f.name)
  into found_ids, found_names
  from (
    select e.id, e.name
    from events e
    where e.project_id = project and e.contact_id = contact and e.id >= since and e.id < before
    limit 101
  ) as f;
  if found_ids is null then
    return;
  end if;
  if cardinality(found_ids) <= 100 then
    return query
    select f.id
    from unnest(found_ids, found_names) as f (id, name)
    where names is null or f.name = any(names) or others and f.name <> all(reserved)
    order by f.id desc
    limit max_rows;
    return;
  end if;

  if since < recent and recent < before then
    return query
    select contact_events(project, contact, recent, before, recent, names, others, max_rows);
    get diagnostics rows_found = row_count;
    if rows_found < max_rows then
      return query
      select contact_events(project, contact, since, recent, since, names, others, max_rows - rows_found);
    end if;
    return;
  end if;

  if names is null or others then
    with recursive known (name, place) as (
      (
        select e.name, 1
        from events e
        where e.project_id = project and e.contact_id = contact and e.id >= since and e.id < before
        order by e.name
        limit 1
      )
      union all
      select next.name, k.place + 1
      from known k
      cross join lateral (
        select e.name
        from events e
        where e.project_id = project
          and e.contact_id = contact
          and e.name > k.name
          and e.id >= since
          and e.id < before
        order by e.name
        limit 1
      ) as next
      where k.place <= 300
    )
    select array_agg(k.name) into found_names from known k;
    if cardinality(found_names) > 300 then
      return query
      select f.id
      from (
        select e.id, e.name
        from events e
        where e.project_id = project and e.contact_id = contact and e.id >= since and e.id < before
        order by e.name, e.id
        offset 0
      ) as f
      where names is null or f.name = any(names) or others and f.name <> all(reserved)
      order by f.id desc
      limit max_rows;
      return;
    end if;
    wanted := array(
      select n.name
      from unnest(found_names) as n (name)
      where names is null or n.name = any(names) or n.name <> all(reserved)
    );
  end if;

  return query
  select newest.id
  from unnest(wanted) as n (name)
  cross join lateral (
    select e.id
    from events e
    where e.project_id = project
      and e.contact_id = contact
      and (e.name, e.id) >= (n.name, since)
      and (e.name, e.id) < (n.name, before)
      and e.id >= since
      and e.id < before
    order by e.name desc, e.id desc
    limit max_rows
  ) as newest
  order by newest.id desc
  limit max_rows;
end $$;
comment on function contact_events is
'Ids of the newest events of a contact between two ids: those with one of these names (null: all), and with `others` those that
concern neither mails nor subscriptions. One plan of each statement is kept for all parameters, as in `project_events`.

Most contacts have few events: up to 100 are all read, one step in the index for each partition. Of a contact with more, those
from `recent` on are looked for first, and older ones where these are not enough. The index is in the order of names: these are looked up one after another, each a step in it, and of each name no more than a page.
A contact with more than 300 names has few events of most of them: all are read, in the order of the index (5,000 take 3 ms,
their names 100 ms). Names are compared as ranges of that index, so that no other one is taken for as good.';

create function events_of_ids(project uuid, ids uuid[]) returns setof events
language plpgsql stable
set plan_cache_mode = 'force_generic_plan'
as $$
begin
  return query
  select e.*
  from unnest(ids) as i (id)
  cross join lateral (select e.* from events e where e.project_id = project and e.id = i.id limit 1) as e
  order by e.id desc;
end $$;
comment on function events_of_ids is
'Events by their ids, newest first: each is looked up in its own partition, whatever the planner estimates.';
