-- name: roll_up :many
-- Adds up to `limit` deltas to the days, and returns how many there were for each project.
with taken as (
  delete from reputation_deltas
  where ctid = any (array(
    select ctid
    from reputation_deltas
    limit :limit::int
  ))
  returning project_id, day, total, bounces, complaints
),
summed as (
  select t.project_id, t.day, sum(t.total) as total, sum(t.bounces) as bounces, sum(t.complaints) as complaints
  from taken t
  join projects p on p.id = t.project_id and p.deleted_at is null
  group by t.project_id, t.day
),
rolled_up as (
  insert into reputation_days as d (project_id, day, total, bounces, complaints)
  select project_id, day, total, bounces, complaints
  from summed
  order by project_id, day
  on conflict (project_id, day) do update
  set
    total      = d.total + excluded.total,
    bounces    = d.bounces + excluded.bounces,
    complaints = d.complaints + excluded.complaints
)
select project_id, count(*)::int as "deltas!"
from taken
group by project_id;

-- name: standings :many
-- The standing of projects in service: these, and all that were not HEALTHY at the last check. Sandboxes have none: what
-- bounces there is a test. The last `days` days are
-- counted, including today, as far as they were not forgiven.
select
  p.id as "project_id!",
  coalesce(r.level, 'HEALTHY') as "level!",
  n.total as "total!",
  n.bounces as "bounces!",
  n.complaints as "complaints!"
from projects p
left join reputations r on r.project_id = p.id
cross join lateral reputation_since(
  p.id, greatest((:now::timestamptz at time zone 'UTC')::date - :days::int + 1, r.counts_from)
) as n
where p.disabled_at is null
  and p.sandbox_of is null
  and p.id in (
    select unnest(:project_ids::uuid[])
    union all
    select project_id from reputations where level <> 'HEALTHY'
  );

-- name: standing :maybe
-- The standing of one project: its level at the last check, the last `days` days as in `standings`, and all time.
select
  p.name,
  p.disabled_at is not null as "disabled!",
  coalesce(r.level, 'HEALTHY') as "level!",
  n.total as "total!",
  n.bounces as "bounces!",
  n.complaints as "complaints!",
  a.total as "all_total!",
  a.bounces as "all_bounces!",
  a.complaints as "all_complaints!"
from projects p
left join reputations r on r.project_id = p.id
cross join lateral reputation_since(
  p.id, greatest((:now::timestamptz at time zone 'UTC')::date - :days::int + 1, r.counts_from)
) as n
cross join lateral reputation_since(p.id, '-infinity') as a
where p.id = :project_id;

-- name: set_level :exec
insert into reputations as r (project_id, level, level_since)
values (:project_id, :level, :now)
on conflict (project_id) do update
set level = excluded.level, level_since = excluded.level_since
where r.level <> excluded.level;

-- name: forgive :exec
-- A fresh start: what was counted until now is no longer held against the project.
with today as (
  select (:now::timestamptz at time zone 'UTC')::date as day
),
counted as (
  select d.total, d.bounces, d.complaints
  from reputation_days d
  join today t on t.day = d.day
  where d.project_id = :project_id
  union all
  select d.total, d.bounces, d.complaints
  from reputation_deltas d
  join today t on t.day = d.day
  where d.project_id = :project_id
)
insert into reputations (
  project_id, level, level_since, counts_from, forgiven_total, forgiven_bounces, forgiven_complaints
)
select
  :project_id, 'HEALTHY', :now, (select day from today),
  coalesce(sum(total), 0), coalesce(sum(bounces), 0), coalesce(sum(complaints), 0)
from counted
on conflict (project_id) do update
set
  level               = excluded.level,
  level_since         = excluded.level_since,
  counts_from         = excluded.counts_from,
  forgiven_total      = excluded.forgiven_total,
  forgiven_bounces    = excluded.forgiven_bounces,
  forgiven_complaints = excluded.forgiven_complaints;

-- name: suspensions :many
-- The newest first.
select at, reason, lifted_at
from suspensions
where project_id = :project_id
order by id desc
limit :limit::int;
