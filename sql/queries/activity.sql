-- name: page :many
-- What the feed has next, the newest first: `key` is the place of an item in the order of time, of several with the same
-- one `kind` and `id` decide. Only what is not before `since` and comes after a place is looked at: that has the key
-- `before`, and the ids that those with this key must be below are given for each kind. An event has its own id as its
-- key. `sources` says which parts are read at all; each reads no more than a page, by an index.
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
      where e.project_id = :project_id and e.name = n.name and e.id >= :since and e.id < :before
      order by e.id desc
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
-- The same of one contact. Where all of its events are wanted, or those of unknown names, its names are looked up one
-- after the other: each is a step in the index, however many events there are of it. Of executions it has few.
with recursive known (name) as (
  (
    select e.name
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
  select next.name
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
      where 'events' = any(:sources)
        or k.name not in (
          'email.sent', 'email.delivery', 'email.received', 'email.open', 'email.click', 'email.bounce',
          'email.complaint', 'contact.subscribed', 'contact.unsubscribed'
        )
    ) as n
    cross join lateral (
      select e.id
      from events e
      where e.project_id = :project_id
        and e.contact_id = :contact_id
        and e.name = n.name
        and e.id >= :since
        and e.id < :before
      order by e.id desc
      limit :limit::int
    ) as named
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

-- name: types :one
-- Which of these names events have, by the counters; whether there are events of others, and what else the feed has. The
-- order has each looked up by an index, whatever the planner believes about how much of a table is the project's.
select
  array(
    select t.name
    from event_totals_of(:project_id) t
    where t.name = any(:names::text[])
    group by t.name
    having sum(t.count) > 0
  ) as "names!",
  exists (
    select
    from event_totals_of(:project_id) t
    where t.name <> all(:names)
    group by t.name
    having sum(t.count) > 0
  ) as "is_triggered!",
  (
    select c.id
    from campaigns c
    where c.project_id = :project_id and c.scheduled_at is not null
    order by first_id_at(c.scheduled_at)
    limit 1
  ) is not null as "is_scheduled!",
  (
    select c.id
    from campaigns c
    where c.project_id = :project_id and c.sent_at is not null
    order by first_id_at(c.sent_at)
    limit 1
  ) is not null as "is_sent!",
  (select x.id from executions x where x.project_id = :project_id order by x.id limit 1) is not null as "is_started!",
  (
    select x.id
    from executions x
    where x.project_id = :project_id and x.completed_at is not null
    order by first_id_at(x.completed_at)
    limit 1
  ) is not null as "is_completed!";

-- name: count_since :one
-- How many items the feed has from a place on; of each kind no more than `up_to` are counted.
select (
  (
    select count(*)
    from (
      select
      from events e
      where e.project_id = :project_id and e.id >= :since
      order by e.id desc
      limit :up_to::int
    ) as counted
  ) + (
    select count(*)
    from (
      select
      from executions x
      where x.project_id = :project_id and first_id_at(x.started_at) >= :since
      order by first_id_at(x.started_at) desc
      limit :up_to::int
    ) as counted
  ) + (
    select count(*)
    from (
      select
      from executions x
      where x.project_id = :project_id and x.completed_at is not null and first_id_at(x.completed_at) >= :since
      order by first_id_at(x.completed_at) desc
      limit :up_to::int
    ) as counted
  ) + (
    select count(*)
    from campaigns c
    where c.project_id = :project_id and c.sent_at is not null and first_id_at(c.sent_at) >= :since
  ) + (
    select count(*)
    from campaigns c
    where c.project_id = :project_id and c.scheduled_at is not null and first_id_at(c.scheduled_at) >= :since
  )
)::int as "count!";

-- name: upcoming :many
-- What is to happen until then, the next first: scheduled campaigns, and executions that go on by themselves.
select
  found.type as "type!",
  found.at as "at!",
  found.id as "id!",
  found.campaign_name as "campaign_name?",
  w.name as "workflow_name?",
  step.name as "step_name?",
  step.type as "step_type?",
  found.contact_id as "contact_id?",
  p.email as "contact_email?"
from (
  (
    select
      'campaign.scheduled' as type, c.scheduled_for as at, c.id, c.name as campaign_name, null::uuid as workflow_id,
      null::uuid as version_id, null::uuid as step_id, null::uuid as contact_id
    from campaigns c
    where c.project_id = :project_id
      and c.status = 'SCHEDULED'
      and c.finished_at is null
      and c.scheduled_for <= :until
    order by c.scheduled_for, c.id
    limit :limit::int
  )
  union all
  (
    select
      'workflow.waiting', x.wake_at, x.id, null, x.workflow_id, x.version_id, x.current_step_id, x.contact_id
    from executions x
    where x.project_id = :project_id
      and case x.status when 'WAITING' then x.wake_at end is not null
      and case x.status when 'WAITING' then x.wake_at end <= :until
    order by case x.status when 'WAITING' then x.wake_at end, x.id
    limit :limit::int
  )
  order by at, type, id
  limit :limit::int
) as found
left join lateral (
  select w.name
  from workflows w
  where w.project_id = :project_id and w.id = found.workflow_id
  limit 1
) as w on true
left join lateral (
  select s.name, s.type
  from workflow_versions v
  cross join lateral jsonb_to_recordset(v.graph -> 'steps') as s (id uuid, name text, type text)
  where v.project_id = :project_id and v.id = found.version_id and s.id = found.step_id
  limit 1
) as step on true
left join lateral (
  select p.email
  from contacts p
  where p.project_id = :project_id and p.id = found.contact_id
  limit 1
) as p on true
order by found.at, found.type, found.id;
