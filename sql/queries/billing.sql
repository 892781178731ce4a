-- name: open :exec
-- The account of a project, if it has none yet.
insert into billing_accounts (project_id)
select id
from projects
where id = :project_id and deleted_at is null
on conflict do nothing;

-- name: account :maybe
select customer_id, subscription_id, status, is_live, period_ends_at, cancels_at, ended_at, version, checkouts
from billing_accounts
where project_id = :project_id;

-- name: by_customer :maybe
select project_id
from billing_accounts
where customer_id = :customer_id;

-- name: set_customer :exec
-- 0 when somebody else was first.
update billing_accounts
set customer_id = :customer_id, version = version + 1, updated_at = :now
where project_id = :project_id and version = :version and customer_id is null;

-- name: save :maybe
-- nullable: customer_id, subscription_id, status, period_ends_at, cancels_at, ended_at
-- Stores what was read at Stripe; null when somebody else has written since `version`. Returns whether it was live
-- before.
update billing_accounts b
set
  customer_id     = :customer_id,
  subscription_id = :subscription_id,
  status          = :status,
  period_ends_at  = :period_ends_at,
  cancels_at      = :cancels_at,
  ended_at        = :ended_at,
  version         = b.version + 1,
  updated_at      = :now
from (
  select project_id, is_live
  from billing_accounts
  where project_id = :project_id
  for no key update
) as before
where b.project_id = before.project_id and b.version = :version
returning before.is_live as "was_live!", b.is_live;

-- name: count_checkout :exec
-- The next checkout is another one.
update billing_accounts
set checkouts = checkouts + 1
where project_id = :project_id and checkouts = :checkouts;
