-- Where the name of an event is referred to. `fields` are the names that it has in conditions.

-- name: segments :many
select s.id, s.name
from segments s
where s.project_id = :project_id
  and exists (
    select
    from jsonb_path_query(s.condition, '$.**.field ? (@.type() == "string")') as f (field)
    where f.field #>> '{}' = any(:fields::text[])
  )
order by s.name, s.id;

-- name: campaigns :many
-- Those on their way to be sent.
select c.id, c.name
from campaigns c
where c.project_id = :project_id
  and c.status in ('DRAFT', 'SCHEDULED', 'SENDING')
  and exists (
    select
    from jsonb_path_query(c.audience_condition, '$.**.field ? (@.type() == "string")') as f (field)
    where f.field #>> '{}' = any(:fields::text[])
  )
order by c.name, c.id;

-- name: total :one
-- How many there are, by the counters.
select coalesce(sum(t.count), 0)::float8 as "total!"
from event_totals_of(:project_id) as t
where t.name = :name;

-- name: contacts :one
-- How many contacts the newest `limit` of them are about, from the index alone.
select count(*)::int as "contacts!"
from (
  select distinct newest.contact_id
  from (
    select e.contact_id
    from events e
    where e.project_id = :project_id and e.name = :name
    order by e.id desc
    limit :limit::int
  ) as newest
  where newest.contact_id is not null
) as contacts;
