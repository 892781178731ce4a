-- name: allow_hashing :exec
-- Gives the rest of this transaction memory for hash tables over the events of one name. Beside an OR, Postgres looks
-- up events contact by contact when it expects the table not to fit. Nor may it keep rows to compare each contact with all of
-- them: that is what it plans for members that it has no statistics of yet, and 40,000 new ones took 28 s among 200,000
-- contacts, where a hash table takes 0.2.
select set_config('work_mem', '64MB', true), set_config('enable_material', 'off', true), set_config('jit', 'off', true);

-- name: count_matching :one
-- splice: audience = true
-- How many contacts match a compiled condition.
select count(*)::int as "total!"
from contacts c
where c.project_id = :project_id and :audience;

-- name: matching :many
-- splice: audience = true
-- nullable: after_id
-- Ids of the contacts that match a compiled condition, in id order, after `after_id`.
select c.id
from contacts c
where c.project_id = :project_id
  and (:after_id::uuid is null or c.id > :after_id)
  and :audience
order by c.id
limit :limit::int;

-- name: count_reachable :one
-- splice: audience = true
-- How many contacts match a compiled condition, and how many of them are subscribed.
select count(*)::int as "count!", (count(*) filter (where c.subscribed))::int as "reachable!"
from contacts c
where c.project_id = :project_id and :audience;

-- name: answers :maybe
-- splice: answers = '{}'::boolean[]
-- Whether each of some compiled filters holds for a contact.
select :answers as "answers!"
from contacts c
where c.project_id = :project_id and c.id = :contact_id;

-- name: known_sources :many
-- Which of these campaigns and templates the project has, or had: there are mails of one that was deleted. Each is looked up
-- by itself, whatever Postgres believes about the size of the project.
select n.id as "id!"
from unnest(:campaign_ids::uuid[]) as n (id)
cross join lateral (
  (select id from campaigns where project_id = :project_id and id = n.id limit 1)
  union all
  (select id from emails where project_id = :project_id and campaign_id = n.id order by campaign_id, id limit 1)
  limit 1
) as c
union
select n.id
from unnest(:template_ids::uuid[]) as n (id)
cross join lateral (
  (select id from templates where project_id = :project_id and id = n.id limit 1)
  union all
  (select id from emails where project_id = :project_id and template_id = n.id order by template_id, id limit 1)
  limit 1
) as t;

-- name: happened :many
-- nullable: asked.since, asked.campaign_id, asked.template_id
-- How often events happened to a contact, counted to `up_to`, and when last: of a name, ever or since a time, and of mails of one
-- campaign or template only. Opens and clicks by bots are not the contact's.
select n.n as "n!", e.count as "count!", e.last_at
from json_to_recordset(:asked::json) as n (n int, name text, since timestamptz, campaign_id uuid, template_id uuid)
cross join lateral (
  select count(*)::int as count, max(newest.created_at) as last_at
  from (
    select x.created_at
    from events x
    where x.project_id = :project_id and x.contact_id = :contact_id and x.name = n.name
      and (not x.bot or n.name not in ('email.open', 'email.click'))
      and (n.campaign_id is null or x.data ->> 'campaignId' = n.campaign_id::text)
      and (n.template_id is null or x.data ->> 'templateId' = n.template_id::text)
      and (n.since is null or x.created_at >= n.since and x.created_at < :now::timestamptz + interval '1 millisecond')
    order by x.id desc
    limit :up_to::int
  ) as newest
) as e;

-- name: count_suppressed :one
-- splice: audience = true
-- How many contacts match a compiled condition whose address is on the suppression list: the shorter of the two lists
-- leads.
select count(*)::int as "total!"
from suppressions s
join contacts c on c.project_id = s.project_id and c.email = s.email
where s.project_id = :project_id and c.project_id = :project_id and :audience;

-- name: sample_reach :one
-- splice: audience = true
-- Of a sample of contacts: how many match a compiled condition, how many of these are subscribed, and whose address is on
-- the suppression list. `percent` of the table's blocks are read, the same each time, and one contact in `one_in`.
-- Materialized: the condition would otherwise be evaluated for each of the four results.
with looked_at as materialized (
  select
    c.subscribed,
    (:audience) as matches,
    exists (select from suppressions s where s.project_id = :project_id and s.email = c.email) as suppressed
  from contacts c tablesample system (:percent) repeatable (1)
  where c.project_id = :project_id and uuid_hash(c.id) <= 4294967296 / :one_in::int - 2147483649
)
select
  count(*)::int as "seen!",
  (count(*) filter (where l.matches))::int as "matching!",
  (count(*) filter (where l.matches and l.subscribed))::int as "subscribed!",
  (count(*) filter (where l.matches and l.suppressed))::int as "suppressed!",
  (count(*) filter (where l.matches and l.subscribed and l.suppressed))::int as "subscribed_suppressed!"
from looked_at l;

-- name: sample_ids :many
-- splice: audience = true
-- Some of the contacts who match a compiled condition, from `percent` of the table's blocks, in an order that has to do
-- with nothing.
select c.id
from contacts c tablesample system (:percent) repeatable (1)
where c.project_id = :project_id and :audience
order by uuid_hash(c.id), c.id
limit :limit::int;

-- name: missing_values :many
-- Of some contacts, how many have no value, or an empty one, at each of some paths. `names` holds `{name, path}`.
select n.name as "name!", count(*)::int as "missing!"
from contacts c
cross join json_to_recordset(:names::json) as n (name text, path text[])
where c.project_id = :project_id
  and c.id = any(:ids::uuid[])
  and coalesce(c.data ->> n.name, c.data #>> n.path, '') = ''
group by n.name
order by count(*) desc, n.name;
