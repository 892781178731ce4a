create function feed_events(project uuid, since uuid, before uuid, names text[], others boolean, max_rows int)
returns setof uuid
language plpgsql stable
set plan_cache_mode = 'force_generic_plan'
as $$
begin
  if names is null then
    return query
    select e.id
    from events e
    where e.project_id = project and e.id >= since and e.id < before
    order by e.id desc
    limit max_rows;
    return;
  end if;
  if others then
    return query
    select e.id
    from events e
    where e.project_id = project
      and e.id >= since
      and e.id < before
      and e.name not in (
        'email.sent', 'email.delivery', 'email.received', 'email.open', 'email.click', 'email.bounce',
        'email.complaint', 'contact.subscribed', 'contact.unsubscribed'
      )
    order by e.id desc
    limit max_rows;
  end if;
  return query
  select named.id
  from unnest(names) as n (name)
  cross join lateral (
    select e.id
    from events e
    where e.project_id = project
      and (e.name, e.id) >= (n.name, since)
      and (e.name, e.id) < (n.name, before)
      and e.id >= since
      and e.id < before
    order by e.name desc, e.id desc
    limit max_rows
  ) as named;
end $$;
comment on function feed_events is
'Ids of the events of a project between two ids that a page of the feed may need, at most a page of each kind: of each of
these names (null: of all together), and with `others` of those that concern neither mails nor subscriptions. One plan of each
statement is kept for all parameters, as in `project_events`, and names are compared as there.';
