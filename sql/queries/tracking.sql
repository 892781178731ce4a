-- name: record_many :many
-- nullable: rows.change_id, lock_wait_ms
-- Creates or changes contacts as `upsert_contacts` does, and records the event of each, and before it the change of its
-- subscription, where `change_id` says that there may be one. Nothing is recorded of a contact that a reset is about to delete:
-- `is_outgoing`.
with given as materialized (
  select *
  from json_to_recordset(:rows::json) as r (
    project_id uuid, email text, subscribed boolean, sets jsonb,
    change_id uuid, event_id uuid, name text, data jsonb
  )
),
contact as materialized (
  select * from upsert_contacts(:rows::json, :changes::jsonb, :lock_wait_ms::int)
),
recorded as (
  insert into events (project_id, id, contact_id, name, data, created_at)
  select c.project_id, e.id, c.id, e.name, e.data, :now
  from contact c
  join given g on g.email = c.email
  cross join lateral (
    values
      (g.change_id, case when c.subscribed then 'contact.subscribed' else 'contact.unsubscribed' end, '{}'::jsonb),
      (g.event_id, g.name, g.data)
  ) as e (id, name, data)
  where not c.is_outgoing
    and (e.id = g.event_id or c.subscribed <> c.was_subscribed)
)
select email as "email!", id as "contact_id!", is_outgoing as "is_outgoing!"
from contact;
