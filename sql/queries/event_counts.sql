-- name: roll_up :exec
-- Adds up to `limit` deltas to the days and to the totals, and returns how many they were.
with taken as (
  delete from event_count_deltas
  where ctid = any (array(select ctid from event_count_deltas limit :limit::int))
  returning project_id, day, name, count
),
summed as (
  select t.project_id, t.day, t.name, sum(t.count) as count
  from taken t
  join projects p on p.id = t.project_id and p.deleted_at is null
  group by t.project_id, t.day, t.name
),
days as (
  insert into event_counts as c (project_id, day, name, count)
  select project_id, day, name, count
  from summed
  order by project_id, day, name
  on conflict (project_id, day, name) do update
  set count = c.count + excluded.count
),
totals as (
  insert into event_totals as t (project_id, name, count)
  select project_id, name, sum(count)
  from summed
  group by project_id, name
  order by project_id, name
  on conflict (project_id, name) do update
  set count = t.count + excluded.count
)
select from taken;

-- name: next_day :maybe
-- The first day, starting at a given one, that may have events or counts; null when there are no more.
select greatest(min(n.day), :from_day::date) as "day!"
from (
  select min(c.day) as day
  from event_counts c
  where c.project_id = :project_id and c.day >= :from_day::date
  union all
  select min(d.day)
  from event_count_deltas d
  where d.project_id = :project_id and d.day >= :from_day::date
  union all
  select (next.created_at at time zone 'UTC')::date
  from (
    select e.created_at
    from events e
    where e.project_id = :project_id and e.id >= first_id_at((:from_day::date - 1)::timestamp at time zone 'UTC')
    order by e.id
    limit 1
  ) as next
) as n
having min(n.day) is not null;

-- name: faults :many
-- The days on which events and their counts differ, with both.
select f.day as "day!", f.name as "name!", f.facts::float8 as "facts!", f.counted::float8 as "counted!"
from event_count_faults(:project_id, :first_day::date, :last_day::date, :forgets) as f
order by f.day, f.name
limit :limit::int;

-- name: recount :exec
-- Corrects the counts of these days, up or down. What is recorded or rolled up in the meantime makes no difference:
-- everything is read in one snapshot, and the correction is a delta like any other.
insert into event_count_deltas (project_id, day, name, count)
select :project_id, f.day, f.name, f.facts - f.counted
from event_count_faults(:project_id, :first_day::date, :last_day::date, :forgets) as f;

-- name: total_faults :many
-- Totals that are not the sum of their days.
select t.name as "name!", t.days::float8 as "days!", t.total::float8 as "total!"
from (
  select s.name, sum(s.days) as days, sum(s.total) as total
  from (
    select c.name, c.count as days, 0 as total
    from event_counts c
    where c.project_id = :project_id
    union all
    select t.name, 0, t.count
    from event_totals t
    where t.project_id = :project_id
  ) as s
  group by s.name
) as t
where t.days <> t.total
order by t.name
limit :limit::int;

-- name: recount_totals :exec
-- Sets every total to the sum of its days. Only while nobody rolls up.
insert into event_totals as t (project_id, name, count)
select :project_id, s.name, sum(s.count)
from (
  select c.name, c.count
  from event_counts c
  where c.project_id = :project_id
  union all
  select t.name, 0
  from event_totals t
  where t.project_id = :project_id
) as s
group by s.name
order by s.name
on conflict (project_id, name) do update
set count = excluded.count
where t.count <> excluded.count;
