-- name: page :many
-- The next items of the feed, newest first. `key` is the place of an item in the order of time; `kind` and `id`
-- break ties. Only items not before `since` and after a given place are read: the place has the key `before`, and for
-- each kind the ids that items with this key must be below. The key of an event is its id. `sources` says which parts
-- are read at all; each reads no more than a page, by an index.
select found.kind as "kind!", found.key as "key!", found.id as "id!"
from (
  (
    select 4 as kind, e.id as key, e.id
    from feed_events(
      :project_id, :since, :before, case when 'events' <> all(:sources::text[]) then :names::text[] end,
      'event.triggered' = any(:sources), :limit::int
    ) as e (id)
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
-- The same for one contact, which has few executions. Where it has many events, those from `recent` on are looked for first.
with theirs as materialized (
  select x.id, x.started_at, x.completed_at
  from executions x
  where :sources::text[] && '{workflow.started,workflow.completed}'::text[]
    and x.project_id = :project_id
    and x.contact_id = :contact_id
)
select found.kind as "kind!", found.key as "key!", found.id as "id!"
from (
  (
    select 4 as kind, e.id as key, e.id
    from contact_events(
      :project_id, :contact_id, :since, :before, :recent,
      case when 'events' <> all(:sources) then :names::text[] end, 'event.triggered' = any(:sources), :limit::int
    ) as e (id)
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
