-- name: page :many
-- The next items of the feed, newest first. `key` is the place of an item in the order of time; `kind` and `id`
-- break ties. Only items not before `since` and after a given place are read: the place has the key `before`, and for
-- each kind the ids that items with this key must be below. The key of an event is its id. `sources` says which parts
-- are read at all; each reads no more than a page, by an index. Names are compared as a range of the index: for a name
-- that it does not know, the planner assumes very few rows, and would read all of them to sort them.
select found.kind as "kind!", found.key as "key!", found.id as "id!"
from (
  (
    select 4 as kind, e.id as key, e.id
    from events e
    where 'events' = any(:sources::text[])
      and e.project_id = :project_id
      and e.id >= :since
      and e.id < :before
    order by e.id desc
    limit :limit::int
  )
  union all
  (
    select 4, e.id, e.id
    from events e
    where 'event.triggered' = any(:sources)
      and e.project_id = :project_id
      and e.id >= :since
      and e.id < :before
      and e.name not in (
        'email.sent', 'email.delivery', 'email.received', 'email.open', 'email.click', 'email.bounce',
        'email.complaint', 'contact.subscribed', 'contact.unsubscribed'
      )
    order by e.id desc
    limit :limit::int
  )
  union all
  (
    select 4, named.id, named.id
    from unnest(:names::text[]) as n (name)
    cross join lateral (
      select e.id
      from events e
      where e.project_id = :project_id
        and (e.name, e.id) >= (n.name, :since::uuid)
        and (e.name, e.id) < (n.name, :before::uuid)
        and e.id >= :since
        and e.id < :before
      order by e.name desc, e.id desc
      limit :limit::int
    ) as named
  )
  union all
  (
    select 3, first_id_at(x.started_at), x.id
    from executions x
    where 'workflow.started' = any(:sources)
      and x.project_id = :project_id
      and first_id_at(x.started_at) >= :since
      and (first_id_at(x.started_at), x.id) < (:before, :started_below::uuid)
    order by first_id_at(x.started_at) desc, x.id desc
    limit :limit::int
  )
  union all
  (
    select 2, first_id_at(x.completed_at), x.id
    from executions x
    where 'workflow.completed' = any(:sources)
      and x.project_id = :project_id
      and x.completed_at is not null
      and first_id_at(x.completed_at) >= :since
      and (first_id_at(x.completed_at), x.id) < (:before, :completed_below::uuid)
    order by first_id_at(x.completed_at) desc, x.id desc
    limit :limit::int
  )
  union all
  (
    select 1, first_id_at(c.sent_at), c.id
    from campaigns c
    where 'campaign.sent' = any(:sources)
      and c.project_id = :project_id
      and c.sent_at is not null
      and first_id_at(c.sent_at) >= :since
      and (first_id_at(c.sent_at), c.id) < (:before, :sent_below::uuid)
    order by first_id_at(c.sent_at) desc, c.id desc
    limit :limit::int
  )
  union all
  (
    select 0, first_id_at(c.scheduled_at), c.id
    from campaigns c
    where 'campaign.scheduled' = any(:sources)
      and c.project_id = :project_id
      and c.scheduled_at is not null
      and first_id_at(c.scheduled_at) >= :since
      and (first_id_at(c.scheduled_at), c.id) < (:before, :scheduled_below::uuid)
    order by first_id_at(c.scheduled_at) desc, c.id desc
    limit :limit::int
  )
) as found
order by found.key desc, found.kind desc, found.id desc
limit :limit::int;

-- name: page_of_contact :many
-- The same for one contact. Where all of its events are wanted, or those of unknown names, its names are looked up one
-- after the other: each is one step in the index, however many events it has. A contact with more than 300 names has
-- few events of most of them: all are read, in the order of the index (5,000 take 3 ms, their names 100 ms). It has few
-- executions.
with recursive known (name, place) as (
  (
    select e.name, 1
    from events e
    where :sources::text[] && '{events,event.triggered}'::text[]
      and e.project_id = :project_id
      and e.contact_id = :contact_id
      and e.id >= :since
      and e.id < :before
    order by e.name
    limit 1
  )
  union all
  select next.name, k.place + 1
  from known k
  cross join lateral (
    select e.name
    from events e
    where e.project_id = :project_id
      and e.contact_id = :contact_id
      and e.name > k.name
      and e.id >= :since
      and e.id < :before
    order by e.name
    limit 1
  ) as next
  where k.place <= 300
),
named as materialized (
  select e.id, e.name
  from events e
  where (select max(place) from known) > 300
    and e.project_id = :project_id
    and e.contact_id = :contact_id
    and e.id >= :since
    and e.id < :before
  order by e.name, e.id
),
theirs as materialized (
  select x.id, x.started_at, x.completed_at
  from executions x
  where :sources::text[] && '{workflow.started,workflow.completed}'::text[]
    and x.project_id = :project_id
    and x.contact_id = :contact_id
)
select found.kind as "kind!", found.key as "key!", found.id as "id!"
from (
  (
    select 4 as kind, named.id as key, named.id
    from (
      select unnest(:names::text[]) as name
      union all
      select k.name
      from known k
      where (select max(place) from known) <= 300
        and (
          'events' = any(:sources)
          or k.name not in (
            'email.sent', 'email.delivery', 'email.received', 'email.open', 'email.click', 'email.bounce',
            'email.complaint', 'contact.subscribed', 'contact.unsubscribed'
          )
        )
    ) as n
    cross join lateral (
      select e.id
      from events e
      where e.project_id = :project_id
        and e.contact_id = :contact_id
        and (e.name, e.id) >= (n.name, :since::uuid)
        and (e.name, e.id) < (n.name, :before::uuid)
        and e.id >= :since
        and e.id < :before
      order by e.name desc, e.id desc
      limit :limit::int
    ) as named
  )
  union all
  (
    select 4, n.id, n.id
    from named n
    where 'events' = any(:sources)
      or n.name not in (
        'email.sent', 'email.delivery', 'email.received', 'email.open', 'email.click', 'email.bounce',
        'email.complaint', 'contact.subscribed', 'contact.unsubscribed'
      )
    order by n.id desc
    limit :limit::int
  )
  union all
  (
    select 3, first_id_at(t.started_at), t.id
    from theirs t
    where 'workflow.started' = any(:sources)
      and first_id_at(t.started_at) >= :since
      and (first_id_at(t.started_at), t.id) < (:before, :started_below::uuid)
  )
  union all
  (
    select 2, first_id_at(t.completed_at), t.id
    from theirs t
    where 'workflow.completed' = any(:sources)
      and t.completed_at is not null
      and first_id_at(t.completed_at) >= :since
      and (first_id_at(t.completed_at), t.id) < (:before, :completed_below::uuid)
  )
) as found
order by found.key desc, found.kind desc, found.id desc
limit :limit::int;
