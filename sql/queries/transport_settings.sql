-- Transports as people see and change them.

-- name: list :many
-- nullable: transport_id
-- The transports of a project, or of the installation, at most 50; or one of them. With their warm-up plans, and how many mails
-- those with a daily limit were given today (UTC).
select
  t.id, t.name, t.kind, t.shown_url, t.priority, t.weight, t.rate_per_second::float8 as "rate_per_second?", t.per_day,
  t.connections, t.warmup_plan_id, t.warmup_since, p.daily_limits as "warmup_limits?", t.paused_at, t.pause_reason,
  t.held_until, t.hold_reason, t.feedback_secret is not null as "has_feedback_secret!", d.taken as "taken?", s.rate::float8 as "slowed_to?", s.reason as "slow_reason?", t.created_at,
  t.updated_at
from transports t
left join warmup_plans p on p.project_id = t.project_id and p.id = t.warmup_plan_id
left join transport_days d on d.transport_id = t.id and d.day = (:now::timestamptz at time zone 'UTC')::date
left join lateral (
  select rate, reason from paces where transport_id = t.id order by rate limit 1
) as s on true
where t.project_id = :project_id and (:transport_id::uuid is null or t.id = :transport_id)
order by t.priority, t.id;

-- name: lock :maybe
-- With its address as it is kept. Held until the end of the transaction.
select
  id, name, kind, url, shown_url, priority, weight, rate_per_second::float8 as "rate_per_second?", per_day, connections,
  warmup_plan_id, warmup_since, paused_at, pause_reason, held_until, hold_reason, feedback_provider, feedback_secret
from transports
where project_id = :project_id and id = :transport_id
for update;

-- name: address :maybe
-- What is needed to send by it, paused or not.
select id, name, kind, url, shown_url, connections
from transports
where project_id = :project_id and id = :transport_id;

-- name: feedback :maybe
-- What proves webhooks about the mails of a transport.
select project_id, feedback_provider, feedback_secret
from transports
where id = :transport_id and feedback_secret is not null;

-- name: addresses :many
-- Those of the installation and of all projects, for `doctor`.
select t.project_id, t.id, t.name, t.kind, t.url, t.shown_url, t.paused_at, p.name as "project_name?"
from transports t
left join projects p on p.id = t.project_id
where p.deleted_at is null
order by t.project_id, t.id
limit :limit::int;

-- name: insert :exec
-- nullable: url, shown_url, rate_per_second, per_day, connections, warmup_plan_id, warmup_since, feedback_provider, feedback_secret
-- 0 where there are `max` already.
insert into transports (
  project_id, id, name, kind, url, shown_url, priority, weight, rate_per_second, per_day, connections, warmup_plan_id,
  warmup_since, feedback_provider, feedback_secret, created_at, updated_at
)
select
  :project_id, :id, :name, :kind, :url::bytea, :shown_url, :priority, :weight, :rate_per_second::float8, :per_day::int,
  :connections::int, :warmup_plan_id::uuid, :warmup_since::timestamptz, :feedback_provider::text, :feedback_secret::bytea,
  :now::timestamptz, :now
where (select count(*) from transports where project_id = :project_id) < :max::int;

-- name: replace :exec
-- nullable: url, shown_url, rate_per_second, per_day, connections, warmup_plan_id, warmup_since, paused_at, pause_reason, held_until, hold_reason, feedback_provider, feedback_secret
-- The caller has locked it.
update transports
set
  name              = :name,
  url               = :url::bytea,
  shown_url         = :shown_url,
  priority          = :priority,
  weight            = :weight,
  rate_per_second   = :rate_per_second::float8,
  per_day           = :per_day::int,
  connections       = :connections::int,
  warmup_plan_id    = :warmup_plan_id::uuid,
  warmup_since      = :warmup_since::timestamptz,
  paused_at         = :paused_at::timestamptz,
  pause_reason      = :pause_reason,
  held_until        = :held_until::timestamptz,
  hold_reason       = :hold_reason,
  feedback_provider = :feedback_provider::text,
  feedback_secret   = :feedback_secret::bytea,
  updated_at        = :now
where project_id = :project_id and id = :id;

-- name: remove :maybe
delete from transports
where project_id = :project_id and id = :transport_id
returning name;
