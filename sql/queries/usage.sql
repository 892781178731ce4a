-- name: take_many :many
-- Takes for each project as much of this month's limit as is wanted, or as is left, and returns how much that is. Rows
-- are locked in one order, so that two calls cannot deadlock.
select
  w.project_id as "project_id!",
  take_usage(w.project_id, :category, :now, w.wanted, false) as "granted!"
from (
  select *
  from unnest(:project_ids::uuid[], :wanted::int[]) as r (project_id, wanted)
  order by project_id
) as w;

-- name: give_back :exec
-- Gives back what was taken for mails that are about to be CAPTURED, because nobody receives them. `ids` are those that
-- this process still holds; the caller settles them in the same transaction. The month charged last is credited.
with held as materialized (
  select project_id, source_type, coalesce(released_at, queued_at) as charged_at
  from emails
  where (project_id, id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[]))
    and claimed_by = :worker_id
    and status in ('SENDING', 'IN_DOUBT')
  order by project_id, id
  for no key update
)
insert into usage_deltas (project_id, month, category, used)
select project_id, usage_month(charged_at), usage_of_source(source_type), -count(*)
from held
group by 1, 2, 3;

-- name: room :maybe
-- The limit of a category, and what of it is used now; null if there is none.
select
  l.monthly_limit::float8 as "monthly_limit!",
  usage_of(:project_id, usage_month(:now), l.category)::float8 as "used!"
from usage_limits l
where l.project_id = :project_id and l.category = :category;

-- name: of_project :many
-- Every category with its limit and its usage this month.
select
  c.category as "category!",
  l.monthly_limit::float8 as "monthly_limit?",
  usage_of(:project_id, usage_month(:now), c.category)::float8 as "used!"
from unnest(enum_range(null::usage_category)) as c (category)
left join usage_limits l on l.project_id = :project_id and l.category = c.category
order by c.category;

-- name: limits :many
select category, monthly_limit::float8 as "monthly_limit!"
from usage_limits
where project_id = :project_id
order by category;

-- name: set_limits :exec
-- nullable: limits.monthly_limit
-- `limits` holds `{category, monthly_limit?}`: those without a number have no limit any more.
with given as materialized (
  select *
  from json_to_recordset(:limits::json) as r (category usage_category, monthly_limit bigint)
),
lifted as (
  delete from usage_limits l
  using given g
  where l.project_id = :project_id and l.category = g.category and g.monthly_limit is null
)
insert into usage_limits (project_id, category, monthly_limit)
select :project_id, category, monthly_limit
from given
where monthly_limit is not null
order by category
on conflict (project_id, category) do update
set monthly_limit = excluded.monthly_limit;

-- name: limit_all :exec
-- The same limit for every category of a project that has none yet.
insert into usage_limits (project_id, category, monthly_limit)
select :project_id, c.category, :monthly_limit::int
from unnest(enum_range(null::usage_category)) as c (category);

-- name: roll_up :exec
-- Adds up to `limit` deltas to the months.
with taken as (
  delete from usage_deltas
  where ctid = any (array(
    select ctid
    from usage_deltas
    limit :limit::int
  ))
  returning project_id, month, category, used
),
summed as (
  select t.project_id, t.month, t.category, sum(t.used) as used
  from taken t
  join projects p on p.id = t.project_id
  group by 1, 2, 3
),
rolled_up as (
  insert into usage_months as m (project_id, month, category, used)
  select project_id, month, category, used
  from summed
  order by 1, 2, 3
  on conflict (project_id, month, category) do update
  set used = m.used + excluded.used
)
select from taken;

-- name: exceeding :many
-- The limits of which one of these percentages is used, by what was rolled up, without a notice this month.
select l.project_id, l.category, p.percent as "percent!"
from usage_limits l
join usage_months m
  on m.project_id = l.project_id and m.category = l.category and m.month = usage_month(:now)
join unnest(:percents::int[]) as p (percent) on m.used * 100 >= l.monthly_limit * p.percent
where not exists (
  select
  from usage_warnings w
  where w.project_id = l.project_id and w.month = m.month and w.category = l.category and w.percent = p.percent
)
order by l.project_id, l.category, p.percent;

-- name: warn :many
-- Notes that members are notified now of these percentages; returns those that they had not been notified of this
-- month.
insert into usage_warnings (project_id, month, category, percent)
select :project_id, usage_month(:now), :category, p.percent
from unnest(:percents::int[]) as p (percent)
on conflict do nothing
returning percent;
