-- The log of what was sent to an endpoint.

-- name: list :many
-- nullable: after, status, types, from_id, until_id
-- Newest first, by the time of what happened: message ids contain it.
select
  d.message_id as id, d.type, m.event_name as "event_name?", d.status, d.attempts, d.due_at, d.created_at,
  d.tries -> -1 as "last_try?"
from webhook_deliveries d
left join webhook_messages m on m.project_id = d.project_id and m.id = d.message_id
where d.project_id = :project_id
  and d.webhook_id = :webhook_id
  and (:status::webhook_delivery_status is null or d.status = :status)
  and (:types::text[] is null or d.type = any(:types))
  and d.message_id < coalesce(:after::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and d.message_id >= coalesce(:from_id::uuid, '00000000-0000-0000-0000-000000000000')
  and d.message_id < coalesce(:until_id::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
order by d.message_id desc
limit :limit::int;

-- name: get :maybe
select
  d.message_id as id, d.type, m.event_name as "event_name?", d.status, d.attempts, d.due_at, d.created_at, d.tries,
  d.response, m.body as "body?"
from webhook_deliveries d
left join webhook_messages m on m.project_id = d.project_id and m.id = d.message_id
where d.project_id = :project_id and d.webhook_id = :webhook_id and d.message_id = :message_id;

-- name: replay :exec
-- One delivery is due again, with all of its attempts. 0 where there is none.
update webhook_deliveries
set status = 'PENDING', attempts = 0, due_at = :now
where project_id = :project_id and webhook_id = :webhook_id and message_id = :message_id;

-- name: replay_many :one
-- nullable: status
-- The next deliveries of a span, oldest first, are due again. `last_id` is how far it got: null when none was found.
with page as materialized (
  select message_id
  from webhook_deliveries
  where project_id = :project_id
    and webhook_id = :webhook_id
    and status <> 'PENDING'
    and (:status::webhook_delivery_status is null or status = :status)
    and message_id > :after
    and message_id < :until_id
  order by message_id
  limit :limit::int
),
replayed as (
  update webhook_deliveries d
  set status = 'PENDING', attempts = 0, due_at = :now
  from page p
  where d.project_id = :project_id and d.webhook_id = :webhook_id and d.message_id = p.message_id
)
select count(*)::int as "replayed!", (select message_id from page order by message_id desc limit 1) as "last_id?"
from page;

-- name: wake :exec
-- Somebody wants it to be called: it does not rest any longer.
update webhooks
set retry_at = null
where project_id = :project_id and id = :webhook_id and enabled;

-- name: add_result :exec
-- nullable: response
-- A delivery that has been made already, such as a test.
insert into webhook_deliveries (project_id, webhook_id, message_id, type, status, attempts, tries, response, created_at)
values (
  :project_id, :webhook_id, :message_id, :type, :status::webhook_delivery_status, 1, jsonb_build_array(:try::jsonb), :response,
  :now
);
