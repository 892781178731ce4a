-- name: by_project :many
-- How many contacts have each field, by type; under the field '' how many there are, by subscription.
select field as "field!", type as "type!", sum(contacts)::int as "contacts!"
from (
  select field, type, contacts
  from contact_counts
  where project_id = :project_id
  union all
  select field, type, contacts
  from contact_count_deltas
  where project_id = :project_id
) as counted
group by field, type
having sum(contacts) <> 0
order by field, type;

-- name: roll_up :exec
-- Adds up to `limit` deltas to the counts.
with taken as (
  delete from contact_count_deltas
  where ctid = any (array(
    select ctid
    from contact_count_deltas
    limit :limit::int
  ))
  returning project_id, field, type, contacts
),
summed as (
  select t.project_id, t.field, t.type, sum(t.contacts) as contacts
  from taken t
  join projects p on p.id = t.project_id and p.deleted_at is null
  group by 1, 2, 3
),
rolled_up as (
  insert into contact_counts as c (project_id, field, type, contacts)
  select project_id, field, type, contacts
  from summed
  order by 1, 2, 3
  on conflict (project_id, field, type) do update
  set contacts = c.contacts + excluded.contacts
)
select from taken;

-- name: total :one
-- How many contacts a project has, by subscription.
select
  coalesce(sum(contacts) filter (where type = 'subscribed'), 0)::int as "subscribed!",
  coalesce(sum(contacts) filter (where type = 'unsubscribed'), 0)::int as "unsubscribed!"
from (
  select type, contacts
  from contact_counts
  where project_id = :project_id and field = ''
  union all
  select type, contacts
  from contact_count_deltas
  where project_id = :project_id and field = ''
) as counted;
