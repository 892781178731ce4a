-- name: of_events :many
-- The keys in the data of the newest events, and every type of their values.
select f.key as "field!", contact_field_type(f.value) as "type!"
from (
  select data
  from events
  where project_id = :project_id
  order by id desc
  limit :events::int
) as newest
cross join lateral jsonb_each(newest.data) as f
where jsonb_typeof(newest.data) = 'object' and f.value <> 'null'
group by 1, 2
order by 1, 2
limit :limit::int;

-- name: of_event :many
-- The same for the newest events of one name.
select f.key as "field!", contact_field_type(f.value) as "type!"
from (
  select data
  from events
  where project_id = :project_id and name = :name
  order by id desc
  limit :events::int
) as newest
cross join lateral jsonb_each(newest.data) as f
where jsonb_typeof(newest.data) = 'object' and f.value <> 'null'
group by 1, 2
order by 1, 2
limit :limit::int;
