-- name: start_afresh :exec
-- What was used until now is settled, and will not be charged.
with used as (
  select month, category
  from usage_months
  where project_id = :project_id and month >= usage_month(:now::timestamptz - interval '1 month')
  union
  select month, category
  from usage_deltas
  where project_id = :project_id and month >= usage_month(:now::timestamptz - interval '1 month')
),
counted as (
  select
    u.month, u.category, usage_of(:project_id, u.month, u.category) as used,
    coalesce(r.number, 0) as number, coalesce(r.up_to, 0) as up_to
  from used u
  left join lateral (
    select r.number, r.up_to
    from usage_reports r
    where r.project_id = :project_id and r.month = u.month and r.category = u.category
    order by r.number desc
    limit 1
  ) as r on true
)
insert into usage_reports (project_id, month, category, number, quantity, up_to, at, settled_at)
select :project_id, month, category, number + 1, used - up_to, used, :now, :now
from counted
where used > up_to;

-- name: make :exec
-- nullable: project_id
-- The next piece of everything that was used since the last one, of this month and the previous one, by projects with a
-- subscription. Two concurrent calls create it once.
with metered as (
  select m.category::usage_category, m.event_name
  from unnest(:categories::text[], :event_names::text[]) as m (category, event_name)
),
payers as materialized (
  select project_id, customer_id
  from billing_accounts
  where is_live and (:project_id::uuid is null or project_id = :project_id)
),
used as (
  select u.project_id, u.month, u.category, u.used
  from payers p
  join usage_months u on u.project_id = p.project_id
  where u.month >= usage_month(:now::timestamptz - interval '1 month')
  union all
  select u.project_id, u.month, u.category, u.used
  from payers p
  join usage_deltas u on u.project_id = p.project_id
  where u.month >= usage_month(:now::timestamptz - interval '1 month')
),
totals as (
  select project_id, month, category, sum(used)::bigint as used
  from used
  group by project_id, month, category
)
insert into usage_reports (project_id, month, category, number, quantity, up_to, customer_id, event_name, at)
select
  t.project_id, t.month, t.category, coalesce(r.number, 0) + 1, t.used - coalesce(r.up_to, 0), t.used, p.customer_id,
  m.event_name,
  -- What is found out a little later still belongs to its month.
  least(:now::timestamptz, (t.month + interval '1 month') at time zone 'UTC' - interval '1 second')
from totals t
join metered m on m.category = t.category
join payers p on p.project_id = t.project_id
left join lateral (
  select r.number, r.up_to
  from usage_reports r
  where r.project_id = t.project_id and r.month = t.month and r.category = t.category
  order by r.number desc
  limit 1
) as r on true
where t.used > coalesce(r.up_to, 0)
order by t.project_id, t.month, t.category
on conflict do nothing;

-- name: claim :many
-- nullable: project_id
-- Pieces that nobody is reporting now, oldest first. A process that has had one for too long is dead.
update usage_reports u
set held_until = :held_until
from (
  select r.project_id, r.month, r.category, r.number
  from usage_reports r
  where r.settled_at is null
    and (r.held_until is null or r.held_until < :now)
    and (:project_id::uuid is null or r.project_id = :project_id)
  order by r.at
  limit :limit::int
  for update skip locked
) as free
where u.project_id = free.project_id
  and u.month = free.month
  and u.category = free.category
  and u.number = free.number
returning
  u.project_id, u.month, u.category, u.number, u.quantity::float8 as "quantity!", u.customer_id as "customer_id!",
  u.event_name as "event_name!", u.at, u.tried_at;

-- name: trying :exec
-- A piece is about to be reported: from here on it is unknown whether it counts, until there is a response.
update usage_reports
set tried_at = coalesce(tried_at, :now)
where project_id = :project_id and month = :month and category = :category and number = :number;

-- name: settle :exec
-- nullable: held_until, tried_at, settled_at, error
-- The outcome of reporting a piece. Without `settled_at` it is reported again after `held_until`.
update usage_reports
set held_until = :held_until, tried_at = :tried_at, settled_at = :settled_at, error = :error
where project_id = :project_id and month = :month and category = :category and number = :number and settled_at is null;
