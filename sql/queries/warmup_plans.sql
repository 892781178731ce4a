-- name: list :many
-- nullable: plan_id
-- The plans of a project, or of the installation, at most 50; or one of them.
select id, name, daily_limits, created_at, updated_at
from warmup_plans
where project_id = :project_id and (:plan_id::uuid is null or id = :plan_id)
order by id;

-- name: insert :exec
-- 0 where there are `max` already.
insert into warmup_plans (project_id, id, name, daily_limits, created_at, updated_at)
select :project_id, :id, :name, :daily_limits::int[], :now::timestamptz, :now
where (select count(*) from warmup_plans where project_id = :project_id) < :max::int;

-- name: patch :exec
-- nullable: name, daily_limits
-- Changes what is given.
update warmup_plans
set name = coalesce(:name, name), daily_limits = coalesce(:daily_limits::int[], daily_limits), updated_at = :now
where project_id = :project_id and id = :plan_id;

-- name: transports_on :many
-- The transports that use this plan.
select id, name from transports where project_id = :project_id and warmup_plan_id = :plan_id order by id;

-- name: lock :maybe
select id, name from warmup_plans where project_id = :project_id and id = :plan_id for update;

-- name: remove :exec
delete from warmup_plans where project_id = :project_id and id = :plan_id;
