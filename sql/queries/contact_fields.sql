-- name: values :many
-- splice: source = contacts c
-- nullable: pattern
-- The values of one key, most frequent first, without null and without objects and lists; and how many contacts have any.
select c.data -> :key as "value!", sum(count(*)) over ()::int as "contacts!"
from :source
where c.project_id = :project_id
  and c.data ? :key
  and jsonb_typeof(c.data -> :key) in ('string', 'number', 'boolean')
  and (:pattern::text is null or c.data ->> :key ilike :pattern)
group by 1
order by count(*) desc, 1
limit :limit::int;

-- name: remove :many
-- Removes a key from up to `limit` contacts that have it, in the order of their ids, after `after_id`.
with chosen as (
  select project_id, id
  from contacts
  where project_id = :project_id and id > :after_id and data ? :key
  order by id
  limit :limit::int
  for update
)
update contacts c
set data = c.data - :key, was_subscribed = c.subscribed, updated_at = now()
from chosen
where c.project_id = chosen.project_id and c.id = chosen.id
returning c.id;

-- name: used_by_campaigns :many
-- The campaigns on their way to be sent that name this field of contacts, or a path below it: in the condition of
-- their audience, or in an expression of their text, which is what `pattern` finds. `word` is a part of the key:
-- texts without it, nearly all, are not looked through.
select id, name
from campaigns
where project_id = :project_id
  and status in ('DRAFT', 'SCHEDULED', 'SENDING')
  and (
    audience_condition @? format(
      '$.**.field ? (@ == %s || @ starts with %s)', to_json(:field::text), to_json(:field::text || '.')
    )::jsonpath
    or strpos(subject, :word::text) > 0 and subject ~ :pattern::text
    or strpos(body, :word::text) > 0 and body ~ :pattern::text
  )
order by name, id;
