-- name: claim :maybe
-- Claims the key for the request of this transaction. Null when it is in use. If another request holds it, this one
-- waits; if that one fails, the key is free again. An expired key is claimed again.
insert into idempotency_keys as k (project_id, key, request, created_at, expires_at)
values (:project_id, :key, :request, :now, :expires_at)
on conflict (project_id, key) do update
set
  request     = excluded.request,
  status_code = null,
  response    = null,
  created_at  = excluded.created_at,
  expires_at  = excluded.expires_at
where k.expires_at <= :now
returning key;

-- name: answer :exec
-- Stores the response beside the key, for requests that repeat it.
update idempotency_keys
set status_code = :status_code, response = :response
where project_id = :project_id and key = :key;

-- name: by_key :maybe
select key, request, status_code, response, created_at
from idempotency_keys
where project_id = :project_id and key = :key;

-- name: purge :exec
-- Deletes expired keys, at most `limit` at a time. They count for nothing since they expired.
delete from idempotency_keys
where (project_id, key) in (
  select project_id, key
  from idempotency_keys
  where expires_at <= :now
  order by expires_at
  limit :limit::int
);
