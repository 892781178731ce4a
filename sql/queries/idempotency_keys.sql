-- name: claim :many
-- nullable: rows.body_hash
-- Claims keys for requests of this transaction, and returns those that were free. `rows` holds `{key, request, body_hash?}`. If another request holds one, this
-- one waits; if that one fails, the key is free again. An expired key is claimed again. Keys are locked in one order, so that
-- two calls cannot deadlock.
insert into idempotency_keys as k (project_id, key, request, body_hash, created_at, expires_at)
select :project_id, r.key, r.request, r.body_hash, :now, :expires_at
from json_to_recordset(:rows::json) as r (key text, request text, body_hash text)
order by r.key
on conflict (project_id, key) do update
set
  request     = excluded.request,
  body_hash   = excluded.body_hash,
  status_code = null,
  response    = null,
  created_at  = excluded.created_at,
  expires_at  = excluded.expires_at
where k.expires_at <= :now
returning key;

-- name: answer :exec
-- Stores each response beside its key, for requests that repeat it.
update idempotency_keys k
set status_code = :status_code, response = r.response
from json_to_recordset(:answers::json) as r (key text, response json)
where k.project_id = :project_id and k.key = r.key;

-- name: release :exec
-- Frees keys that this transaction has claimed for requests that are refused.
delete from idempotency_keys
where project_id = :project_id and key = any(:keys::text[]);

-- name: by_keys :many
select key, request, body_hash, status_code, response, created_at
from idempotency_keys
where project_id = :project_id and key = any(:keys::text[]);

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
