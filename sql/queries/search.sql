-- What the search box finds of a project.

-- name: contacts_from :many
-- The contacts whose address begins with a text, by the index of addresses; a text that nobody's begins with ends after
-- 50 of those that come after it.
select c.id, c.email, c.subscribed
from (
  select id, email, subscribed
  from contacts
  where project_id = :project_id and email >= :text
  order by email
  limit 50
) as c
where starts_with(c.email, :text)
limit :limit::int;

-- name: contacts_with :many
-- splice: filter = true
-- The contacts whose address contains a text. The text is part of the statement's own plan: a common one is found in any
-- contacts, a rare one by its trigrams.
select c.id, c.email, c.subscribed
from contacts c
where c.project_id = :project_id and :filter
limit :limit::int;

-- name: named :many
-- What people make, by its name (of campaigns also by the subject): `limit` of each noun, those that begin with the text
-- first, then the newest. `beginning` and `containing` are patterns of LIKE. Of a project there are few thousands.
select found.noun as "noun!", found.id as "id!", found.name as "name!", found.detail as "detail!"
from unnest('{templates,campaigns,segments,workflows}'::text[]) as n (noun)
cross join lateral (
  select one.noun, one.id, one.name, one.detail
  from (
    select 'templates' as noun, t.id, t.name, t.type::text as detail
    from templates t
    where n.noun = 'templates' and t.project_id = :project_id and t.name ilike :containing
    union all
    select 'campaigns', c.id, c.name, c.status::text
    from campaigns c
    where n.noun = 'campaigns'
      and c.project_id = :project_id
      and (c.name ilike :containing or c.subject ilike :containing)
    union all
    select 'segments', s.id, s.name, s.type::text
    from segments s
    where n.noun = 'segments' and s.project_id = :project_id and s.name ilike :containing
    union all
    select 'workflows', w.id, w.name, case when w.enabled then 'ENABLED' else 'DISABLED' end
    from workflows w
    where n.noun = 'workflows' and w.project_id = :project_id and w.name ilike :containing
  ) as one
  order by one.name ilike :beginning::text desc, one.id desc
  limit :limit::int
) as found;

-- name: events :many
-- The names of events, those of which there are most first.
select t.name as "name!", sum(t.count)::float8 as "count!"
from event_totals_of(:project_id) as t
where t.name ilike :containing
group by t.name
having sum(t.count) > 0
order by t.name ilike :beginning::text desc, 2 desc, 1
limit :limit::int;
