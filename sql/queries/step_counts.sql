-- name: list :many
-- How often executions came to each step of a workflow, passed it and failed there.
select
  s.id as "step_id!",
  coalesce(sum(c.entered), 0)::int as "entered!",
  coalesce(sum(c.passed), 0)::int as "passed!",
  coalesce(sum(c.failed), 0)::int as "failed!"
from workflow_steps s
left join lateral (
  select k.entered, k.passed, k.failed
  from step_counts k
  where k.project_id = s.project_id and k.step_id = s.id
  union all
  select d.entered, d.passed, d.failed
  from step_count_deltas d
  where d.project_id = s.project_id and d.step_id = s.id
) as c on true
where s.project_id = :project_id and s.workflow_id = :workflow_id
group by s.id, s.created_at
order by s.created_at, s.id;

-- name: waiting :many
-- How many executions are at each step now, each counted up to `up_to`.
select s.id as "step_id!", w.total as "waiting!"
from workflow_steps s
cross join lateral (
  select count(*)::int as total
  from (
    select
    from executions e
    where e.project_id = s.project_id
      and e.workflow_id = s.workflow_id
      and e.current_step_id = s.id
      and e.status in ('RUNNING', 'WAITING')
    limit :up_to::int
  ) as counted
) as w
where s.project_id = :project_id and s.workflow_id = :workflow_id;

-- name: branches :many
-- How often executions left each step of a workflow by each of its branches.
select s.id as "step_id!", c.branch as "branch!", sum(c.passed)::int as "passed!"
from workflow_steps s
join lateral (
  select k.branch, k.passed
  from branch_counts k
  where k.project_id = s.project_id and k.step_id = s.id
  union all
  select d.branch, d.passed
  from step_count_deltas d
  where d.project_id = s.project_id and d.step_id = s.id and d.branch is not null
) as c on true
where s.project_id = :project_id and s.workflow_id = :workflow_id
group by 1, 2;

-- name: roll_up :exec
-- Adds up to `limit` deltas to the counts. Those of steps that are gone are dropped.
with taken as (
  delete from step_count_deltas
  where ctid = any (array(select ctid from step_count_deltas limit :limit::int))
  returning project_id, step_id, entered, passed, failed, branch
),
summed as (
  select project_id, step_id, sum(entered) as entered, sum(passed) as passed, sum(failed) as failed
  from taken
  group by 1, 2
),
held as materialized (
  select s.project_id, s.id
  from workflow_steps s
  where (s.project_id, s.id) in (select project_id, step_id from summed)
  order by s.project_id, s.id
  for key share
),
rolled_up as (
  insert into step_counts as k (project_id, step_id, entered, passed, failed)
  select s.project_id, s.step_id, s.entered, s.passed, s.failed
  from summed s
  join held h on h.project_id = s.project_id and h.id = s.step_id
  order by 1, 2
  on conflict (project_id, step_id) do update
  set entered = k.entered + excluded.entered, passed = k.passed + excluded.passed, failed = k.failed + excluded.failed
),
by_branch as (
  insert into branch_counts as k (project_id, step_id, branch, passed)
  select t.project_id, t.step_id, t.branch, sum(t.passed)
  from taken t
  join held h on h.project_id = t.project_id and h.id = t.step_id
  where t.branch is not null
  group by 1, 2, 3
  order by 1, 2, 3
  on conflict (project_id, step_id, branch) do update
  set passed = k.passed + excluded.passed
)
select from taken;
