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

-- name: workflows :many
-- Those, enabled or not, that start at the event, wait for it, or ask whether it happened. With other operators the
-- field of a condition is about the data of an event, unless it stands in a tree.
select w.id, w.name
from workflows w
where w.project_id = :project_id
  and (
    w.trigger_type = 'EVENT' and w.event_name = :name
    or exists (
      select
      from workflow_steps s
      where s.project_id = w.project_id
        and s.workflow_id = w.id
        and (
          s.type = 'WAIT_FOR_EVENT' and trim(s.config ->> 'eventName') = :name
          or s.type = 'CONDITION' and (
            s.config ->> 'field' = any(:fields::text[])
            and concat(s.config ->> 'operator', s.config #>> '{branches,0,operator}') ~* 'triggered'
            or exists (
              select
              from jsonb_path_query(s.config, '$.condition.**.field ? (@.type() == "string")') as f (field)
              where f.field #>> '{}' = any(:fields)
            )
          )
        )
    )
  )
order by w.name, w.id;

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
