-- Events as recorded, newest first. Ids are in the order of time, and each month is a partition: a page reads those
-- between two ids, and only their partitions. Contacts are looked up one by one, whatever the planner estimates.

-- name: recent :many
-- nullable: named
-- Those of one name, or of all.
select
  e.id as "id!", e.name as "name!", e.data as "data!", e.contact_id, e.email_id, e.project_id as "project_id!",
  e.created_at as "created_at!", c.email as "contact_email?"
from project_events(:project_id, :named::text, :since, :before, :limit::int) as e
left join lateral (
  select c.email
  from contacts c
  where c.project_id = e.project_id and c.id = e.contact_id
  limit 1
) as c on true
order by e.id desc;

-- name: recent_of_contact :many
-- Of a contact with many, those from `recent` on are looked for first.
select
  e.id as "id!", e.name as "name!", e.data as "data!", e.contact_id, e.email_id, e.project_id as "project_id!",
  e.created_at as "created_at!"
from events_of_ids(
  :project_id,
  array(
    select contact_events(:project_id, :contact_id, :since, :before, :recent, null, true, :limit::int)
  )
) as e
order by e.id desc;

-- name: mail :maybe
-- A mail that an event is about.
select id
from emails
where project_id = :project_id and id = :email_id;
