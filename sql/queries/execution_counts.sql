-- name: roll_up :exec
-- Adds up to `limit` deltas to the days, and returns how many they were.
with taken as (
  delete from execution_count_deltas
  where ctid = any (array(select ctid from execution_count_deltas limit :limit::int))
  returning project_id, day, started
),
rolled_up as (
  insert into execution_counts as c (project_id, day, started)
  select t.project_id, t.day, sum(t.started)
  from taken t
  join projects p on p.id = t.project_id and p.deleted_at is null
  group by t.project_id, t.day
  order by t.project_id, t.day
  on conflict (project_id, day) do update
  set started = c.started + excluded.started
)
select from taken;

-- name: faults :many
-- How many executions there are of each day, and how many are counted, if that is not the same at this very moment.
select s.day as "day!", sum(s.facts)::float8 as "facts!", sum(s.counted)::float8 as "counted!"
from (
  select (x.started_at at time zone 'UTC')::date as day, 1 as facts, 0 as counted
  from executions x
  where x.project_id = :project_id
  union all
  select c.day, 0, c.started
  from execution_counts_of(:project_id, '-infinity', 'infinity') as c
) as s
group by s.day
having sum(s.facts) <> sum(s.counted)
order by s.day
limit :limit::int;

-- name: recount :exec
-- Corrects the counts of these days, up or down. What begins or is rolled up in the meantime makes no difference:
-- everything is read in one snapshot, and the correction is a delta like any other.
insert into execution_count_deltas (project_id, day, started)
select :project_id, s.day, sum(s.facts) - sum(s.counted)
from (
  select (x.started_at at time zone 'UTC')::date as day, 1 as facts, 0 as counted
  from executions x
  where x.project_id = :project_id
  union all
  select c.day, 0, c.started
  from execution_counts_of(:project_id, '-infinity', 'infinity') as c
) as s
group by s.day
having sum(s.facts) <> sum(s.counted);
