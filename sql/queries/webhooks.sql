-- The endpoints of a project that are told what happens in it.

-- name: list :many
-- There are at most 20. `pending` is counted up to 10,000; `delivered` and `failed` are the calls since `since`.
select
  w.id, w.url, w.description, w.events, w.event_names, w.enabled, w.paused_at, w.pause_reason, w.failing_since, w.retry_at,
  w.secret, w.created_by, w.created_at, w.updated_at,
  coalesce(d.delivered, 0)::int as "delivered!",
  coalesce(d.failed, 0)::int as "failed!",
  p.pending as "pending!"
from webhooks w
left join lateral (
  select sum(delivered) as delivered, sum(failed) as failed
  from webhook_days d
  where d.project_id = w.project_id and d.webhook_id = w.id and d.day >= :since::date
) as d on true
cross join lateral (
  select count(*)::int as pending
  from (
    select
    from webhook_deliveries d
    where d.project_id = w.project_id and d.webhook_id = w.id and d.due_at is not null
    limit 10000
  ) as few
) as p
where w.project_id = :project_id
order by w.id;

-- name: by_id :maybe
select
  w.id, w.url, w.description, w.events, w.event_names, w.enabled, w.paused_at, w.pause_reason, w.failing_since, w.retry_at,
  w.secret, w.created_by, w.created_at, w.updated_at,
  coalesce(d.delivered, 0)::int as "delivered!",
  coalesce(d.failed, 0)::int as "failed!",
  p.pending as "pending!"
from webhooks w
left join lateral (
  select sum(delivered) as delivered, sum(failed) as failed
  from webhook_days d
  where d.project_id = w.project_id and d.webhook_id = w.id and d.day >= :since::date
) as d on true
cross join lateral (
  select count(*)::int as pending
  from (
    select
    from webhook_deliveries d
    where d.project_id = w.project_id and d.webhook_id = w.id and d.due_at is not null
    limit 10000
  ) as few
) as p
where w.project_id = :project_id and w.id = :webhook_id;

-- name: there :maybe
select url, secret
from webhooks
where project_id = :project_id and id = :webhook_id;

-- name: insert :exec
-- nullable: event_names
-- 0 where the project has `max` already. Its row is locked (`projects.hold`).
insert into webhooks (
  project_id, id, url, description, events, event_names, secret, enabled, paused_at, pause_reason, created_by, created_at,
  updated_at
)
select
  :project_id, :id, :url, :description, :events::text[], :event_names::text[], :secret, :enabled::boolean,
  case when not :enabled then :now::timestamptz end, case when not :enabled then 'USER' end, :created_by,
  :now::timestamptz, :now
where (select count(*) from webhooks where project_id = :project_id) < :max::int;

-- name: hold :maybe
-- The endpoint, held until the end of the transaction.
select id, url, description, events, event_names, enabled, pause_reason, secret
from webhooks
where project_id = :project_id and id = :webhook_id
for no key update;

-- name: patch :exec
-- nullable: event_names, pause_reason
-- Writes all that a person chooses. Another URL, and being enabled again, begin without failures.
update webhooks
set
  url           = :url,
  description   = :description,
  events        = :events::text[],
  event_names   = :event_names::text[],
  enabled       = :enabled,
  paused_at     = case when :enabled then null else coalesce(paused_at, :now) end,
  pause_reason  = :pause_reason,
  failures      = case when :starts_anew::boolean then 0 else failures end,
  failing_since = case when :starts_anew then null else failing_since end,
  retry_at      = case when :starts_anew then null else retry_at end,
  updated_at    = :now
where project_id = :project_id and id = :webhook_id;

-- name: set_secret :exec
update webhooks
set secret = :secret, updated_at = :now
where project_id = :project_id and id = :webhook_id;

-- name: remove :maybe
-- Its deliveries are removed by a job.
delete from webhooks
where project_id = :project_id and id = :webhook_id
returning url;

-- name: drop_deliveries :exec
-- Deliveries of an endpoint that is gone, some at a time.
delete from webhook_deliveries
where project_id = :project_id
  and webhook_id = :webhook_id
  and message_id = any (array(
    select message_id
    from webhook_deliveries
    where project_id = :project_id and webhook_id = :webhook_id
    limit :limit::int
  ))
  and not exists (select from webhooks where project_id = :project_id and id = :webhook_id);
