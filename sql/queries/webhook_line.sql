-- The line of one endpoint: its deliveries, called by one job at a time.

-- name: claim :maybe
-- Takes the line until `until`. Null where it is paused, gone, resting, or taken.
update webhooks w
set lease_id = :lease_id, lease_until = :until
where w.project_id = :project_id
  and w.id = :webhook_id
  and w.enabled
  and (w.lease_until is null or w.lease_until <= :now)
  and (w.retry_at is null or w.retry_at <= :now)
  and exists (select from projects p where p.id = w.project_id and p.deleted_at is null and p.disabled_at is null)
returning w.url, w.secret, w.failures, w.failing_since;

-- name: standing :maybe
-- Why a line could not be taken: null where it is paused or gone. While it is leased its holder looks again: one who is about
-- to give it back is waited for, as it may have looked already.
select retry_at, coalesce(lease_until > :now, false) as "is_leased!", p.disabled_at is not null as "is_held!"
from webhooks w
join projects p on p.id = w.project_id and p.deleted_at is null
where w.project_id = :project_id and w.id = :webhook_id and w.enabled
for share of w;

-- name: due :many
-- What is to be called, the longest overdue first. The body is null where the message is gone.
select d.message_id, d.type, d.attempts, m.body as "body?"
from (
  select message_id, type, attempts, due_at
  from webhook_deliveries
  where project_id = :project_id and webhook_id = :webhook_id and due_at <= :now
  order by due_at, message_id
  limit :limit::int
) as d
left join webhook_messages m on m.project_id = :project_id and m.id = d.message_id
order by d.due_at, d.message_id;

-- name: settle :one
-- nullable: rows.due_at, rows.response, failing_since, retry_at, pause_reason
-- Writes what became of the calls, as long as the line is still the caller's: another job may have it by now, and repeats
-- them. Where its URL has changed, the calls say nothing about the new one: those that failed are due at once. `is_same` is
-- false in both cases. Deliveries whose message is gone are deleted.
with own as materialized (
  select project_id, id, url = :url as is_same
  from webhooks
  where project_id = :project_id and id = :webhook_id and lease_id = :lease_id
  for no key update
),
line as (
  update webhooks w
  set
    failures      = :failures::int,
    failing_since = :failing_since::timestamptz,
    retry_at      = :retry_at::timestamptz,
    lease_until   = :until::timestamptz,
    enabled       = w.enabled and :pause_reason::text is null,
    paused_at     = case when w.enabled and :pause_reason::text is not null then :now::timestamptz else w.paused_at end,
    pause_reason  = case when w.enabled then :pause_reason::text else w.pause_reason end
  from own o
  where w.project_id = o.project_id and w.id = o.id and o.is_same
),
results as materialized (
  select *
  from json_to_recordset(:rows::json) as r (
    message_id uuid, status webhook_delivery_status, attempts int, due_at timestamptz, try jsonb, response jsonb
  )
),
settled as (
  update webhook_deliveries d
  set
    status   = r.status,
    attempts = r.attempts,
    due_at   = case when o.is_same or r.due_at is null then r.due_at else :now::timestamptz end,
    tries    = case when jsonb_array_length(d.tries) >= 20 then d.tries - 0 else d.tries end || r.try,
    response = r.response
  from results r
  cross join own o
  where d.project_id = o.project_id and d.webhook_id = o.id and d.message_id = r.message_id
),
dropped as (
  delete from webhook_deliveries d
  using own o
  where d.project_id = o.project_id and d.webhook_id = o.id and d.message_id = any(:gone::uuid[])
),
counted as (
  insert into webhook_days as d (project_id, webhook_id, day, delivered, failed)
  select o.project_id, o.id, (:now::timestamptz at time zone 'UTC')::date, :delivered::int, :failed::int
  from own o
  where :delivered::int + :failed::int > 0
  on conflict (project_id, webhook_id, day)
  do update set delivered = d.delivered + excluded.delivered, failed = d.failed + excluded.failed
)
select coalesce((select is_same from own), false) as "is_same!";

-- name: release :maybe
-- Gives the line back, and says when it is to be called next; null when nothing waits. Null, too, where it is another
-- job's or paused.
update webhooks w
set lease_id = null, lease_until = null
where w.project_id = :project_id and w.id = :webhook_id and w.lease_id = :lease_id
returning
  case when w.enabled then (
    select greatest(d.due_at, w.retry_at)
    from webhook_deliveries d
    where d.project_id = w.project_id and d.webhook_id = w.id and d.due_at is not null
    order by d.due_at
    limit 1
  ) end as "next_at?";

-- name: hasten :exec
-- What waits for a later attempt is due now, the first ones of them.
update webhook_deliveries
set due_at = :now
where project_id = :project_id
  and webhook_id = :webhook_id
  and message_id = any (array(
    select message_id
    from webhook_deliveries
    where project_id = :project_id and webhook_id = :webhook_id and due_at > :now
    order by due_at
    limit :limit::int
  ));

-- name: enqueue :exec
-- Has a line called at this time, or sooner where it is to be already.
select graphile_worker.add_job(
  'deliver_webhooks',
  payload      => json_build_object('projectId', :project_id::uuid, 'webhookId', :webhook_id::uuid),
  run_at       => :run_at::timestamptz,
  job_key      => 'deliver_webhooks:' || :webhook_id::uuid::text,
  job_key_mode => 'preserve_run_at'
);

-- name: lost :many
-- Lines that should be called and are not: their job was lost, or the process that called them died.
select w.project_id, w.id as webhook_id
from webhooks w
where w.enabled
  and (w.lease_until is null or w.lease_until <= :now)
  and (w.retry_at is null or w.retry_at <= :now)
  and exists (
    select
    from webhook_deliveries d
    where d.project_id = w.project_id and d.webhook_id = w.id and d.due_at <= :due_before
  )
limit 1000;
