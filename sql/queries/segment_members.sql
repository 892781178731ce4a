-- name: of :maybe
-- Since when a contact is noted as a member.
select entered_at
from segment_members
where project_id = :project_id and segment_id = :segment_id and contact_id = :contact_id;

-- name: add_contacts :many
-- nullable: event
-- Adds contacts to a static segment, and records the event of each if there is one. Returns only those that were not
-- members before.
with added as (
  insert into segment_members (project_id, segment_id, contact_id, entered_at)
  select :project_id, :segment_id, c.id, :now
  from contacts c
  where c.project_id = :project_id and c.id = any(:contact_ids::uuid[])
  order by c.id
  for key share of c
  on conflict do nothing
  returning contact_id
),
recorded as (
  insert into events (project_id, contact_id, name, data, created_at)
  select :project_id, contact_id, :event, :event_data::jsonb, :now
  from added
  where :event::text is not null
)
select contact_id from added;

-- name: remove_contacts :many
-- nullable: event
-- The opposite. Returns those that were members.
with removed as (
  delete from segment_members
  where project_id = :project_id and segment_id = :segment_id and contact_id = any(:contact_ids::uuid[])
  returning contact_id
),
recorded as (
  insert into events (project_id, contact_id, name, data, created_at)
  select :project_id, contact_id, :event, :event_data::jsonb, :now
  from removed
  where :event::text is not null
)
select contact_id from removed;

-- name: enter :one
-- nullable: contact_ids
-- splice: audience = true
-- Adds the matching contacts that are not members yet, and records the event of each, in one statement. With
-- `contact_ids` it looks only at those.
with entered as (
  insert into segment_members (project_id, segment_id, contact_id, entered_at)
  select c.project_id, :segment_id, c.id, :now
  from contacts c
  where c.project_id = :project_id
    and (:contact_ids::uuid[] is null or c.id = any(:contact_ids))
    and :audience
    and not exists (
      select
      from segment_members m
      where m.project_id = c.project_id and m.segment_id = :segment_id and m.contact_id = c.id
    )
  -- A contact that is being deleted drops out here, instead of failing as a reference.
  for key share of c
  on conflict do nothing
  returning contact_id
),
recorded as (
  insert into events (project_id, contact_id, name, data, created_at)
  select :project_id, contact_id, :event, :event_data::jsonb, :now
  from entered
)
select count(*)::int as "added!" from entered;

-- name: analyze :exec
-- After so many new members: where Postgres expects one, `exit` looks at all events of a name again for each of them. Nothing
-- waits for whoever has the table already, such as a vacuum of hours or another project (`test/db/analyze_test.ts`).
analyze (skip_locked) segment_members;

-- name: exit :one
-- nullable: contact_ids
-- splice: audience = true
-- Removes the members that match no more, and records the event of each, in one statement.
with exited as (
  delete from segment_members m
  where m.project_id = :project_id
    and m.segment_id = :segment_id
    and (:contact_ids::uuid[] is null or m.contact_id = any(:contact_ids))
    and not exists (
      select from contacts c where c.project_id = m.project_id and c.id = m.contact_id and :audience
    )
  returning m.contact_id
),
recorded as (
  insert into events (project_id, contact_id, name, data, created_at)
  select :project_id, contact_id, :event, :event_data::jsonb, :now
  from exited
)
select count(*)::int as "removed!" from exited;

-- name: add :many
-- nullable: event
-- Adds contacts to a static segment, and records the event of each if there is one. Returns only those that were not
-- members before.
with added as (
  insert into segment_members (project_id, segment_id, contact_id, entered_at)
  select :project_id, :segment_id, c.id, :now
  from contacts c
  where c.project_id = :project_id and c.email = any(:emails::text[])
  order by c.id
  for key share of c
  on conflict do nothing
  returning contact_id
),
recorded as (
  insert into events (project_id, contact_id, name, data, created_at)
  select :project_id, contact_id, :event, :event_data::jsonb, :now
  from added
  where :event::text is not null
)
select contact_id from added;

-- name: remove :many
-- nullable: event
-- Removes contacts from a static segment, and records the event of each if there is one. Returns only those that were
-- members.
with removed as (
  delete from segment_members m
  using contacts c
  where m.project_id = :project_id
    and m.segment_id = :segment_id
    and c.project_id = m.project_id
    and c.id = m.contact_id
    and c.email = any(:emails::text[])
  returning m.contact_id
),
recorded as (
  insert into events (project_id, contact_id, name, data, created_at)
  select :project_id, contact_id, :event, :event_data::jsonb, :now
  from removed
  where :event::text is not null
)
select contact_id from removed;
