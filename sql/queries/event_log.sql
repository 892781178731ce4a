-- Events as recorded, newest first. Ids are in the order of time, and each month is a partition: a page reads those
-- between two ids, and only their partitions. Contacts are looked up one by one, whatever the planner estimates.

-- name: recent :many
select
  e.id, e.name, e.data, e.contact_id, e.email_id, e.project_id, e.created_at, c.email as "contact_email?"
from (
  select e.id, e.name, e.data, e.contact_id, e.email_id, e.project_id, e.created_at
  from events e
  where e.project_id = :project_id and e.id >= :since and e.id < :before
  order by e.id desc
  limit :limit::int
) as e
left join lateral (
  select c.email
  from contacts c
  where c.project_id = e.project_id and c.id = e.contact_id
  limit 1
) as c on true
order by e.id desc;

-- name: recent_of_name :many
select
  e.id, e.name, e.data, e.contact_id, e.email_id, e.project_id, e.created_at, c.email as "contact_email?"
from (
  select e.id, e.name, e.data, e.contact_id, e.email_id, e.project_id, e.created_at
  from events e
  where e.project_id = :project_id and e.name = :name and e.id >= :since and e.id < :before
  order by e.id desc
  limit :limit::int
) as e
left join lateral (
  select c.email
  from contacts c
  where c.project_id = e.project_id and c.id = e.contact_id
  limit 1
) as c on true
order by e.id desc;

-- name: recent_of_contact :many
-- The index of a contact is in the order of names: they are looked up one after another, each a step in it, and of each
-- name no more than a page. Whatever the planner believes, nothing else finds them by so few rows. A contact with more
-- than 300 names has few events of most: all of them are read, in the order of the index. Names are compared as ranges of
-- that index, so that no other one is taken for as good.
with recursive known (name, place) as (
  (
    select e.name, 1
    from events e
    where e.project_id = :project_id and e.contact_id = :contact_id and e.id >= :since and e.id < :before
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
  select e.id
  from events e
  where (select max(place) from known) > 300
    and e.project_id = :project_id
    and e.contact_id = :contact_id
    and e.id >= :since
    and e.id < :before
  order by e.name, e.id
)
select e.id, e.name, e.data, e.contact_id, e.email_id, e.project_id, e.created_at
from (
  select newest.id
  from known k
  cross join lateral (
    select e.id
    from events e
    where e.project_id = :project_id
      and e.contact_id = :contact_id
      and (e.name, e.id) >= (k.name, :since::uuid)
      and (e.name, e.id) < (k.name, :before::uuid)
      and e.id >= :since
      and e.id < :before
    order by e.name desc, e.id desc
    limit :limit::int
  ) as newest
  where (select max(place) from known) <= 300
  union all
  select n.id
  from named n
  order by id desc
  limit :limit
) as page
cross join lateral (
  select e.id, e.name, e.data, e.contact_id, e.email_id, e.project_id, e.created_at
  from events e
  where e.project_id = :project_id and e.id = page.id and e.id >= :since and e.id < :before
  limit 1
) as e
order by e.id desc;

-- name: mail :maybe
-- A mail that an event is about.
select id
from emails
where project_id = :project_id and id = :email_id;
