-- name: by_public_keys :many
-- The projects of these public keys. Asked for every request: a rotated key fails on the next one.
select
  public_key as key,
  id,
  disabled_at is not null as "disabled!",
  disabled_reason
from projects
where public_key = any(:keys::text[]);

-- name: by_secret_hashes :many
-- The projects of these secret keys, by their SHA-256 in hex.
select
  encode(secret_hash, 'hex') as "key!",
  id,
  disabled_at is not null as "disabled!",
  disabled_reason
from projects
where secret_hash in (select decode(hash, 'hex') from unnest(:hashes::text[]) as hash);

-- name: insert :one
insert into projects (id, name, public_key, secret_hash, secret_hint)
values (:id, :name, :public_key, :secret_hash, :secret_hint)
returning id, name, created_at;

-- name: count :one
select count(*)::int as "total!" from projects;

-- name: list :many
-- For the operator: every project, oldest first.
select
  id, name, public_key, secret_hint, tracking, language, send_rate::float8 as "send_rate?", disabled_at,
  disabled_reason, created_at
from projects
order by id
limit 1000;

-- name: patch :maybe
-- nullable: tracking, language, send_rate
-- Changes what is given. A rate of null takes the limit away, where `set_send_rate` says that it is meant.
update projects
set
  tracking   = coalesce(:tracking, tracking),
  language   = coalesce(:language, language),
  send_rate  = case when :set_send_rate::boolean then :send_rate::float8::numeric else send_rate end,
  updated_at = now()
where id = :project_id
returning id, name, tracking, language, send_rate::float8 as "send_rate?";

-- name: disable :exec
-- nullable: reason
-- 0 when it does not exist or was disabled before. Mail that waits is held, not lost.
with disabled as (
  update projects
  set disabled_at = :now, disabled_reason = :reason, updated_at = :now
  where id = :project_id and disabled_at is null
  returning id
)
insert into suspensions (project_id, at, reason)
select id, :now, :reason
from disabled;

-- name: enable :exec
update projects
set disabled_at = null, disabled_reason = null, updated_at = :now
where id = :project_id and disabled_at is not null;

-- name: lift_suspension :many
-- After `enable`, as a statement of its own: so it sees what was committed while that one waited.
update suspensions
set lifted_at = :now
where project_id = :project_id and lifted_at is null
returning reason;

-- name: hold :exec
-- Locks a project for the rest of the transaction. Its mail goes on meanwhile, and so does all else that refers to it.
select
from projects
where id = :project_id
for no key update;

-- name: lock_all :exec
-- So that only one process makes the first project.
lock table projects in share row exclusive mode;

-- name: presented :maybe
-- How a project shows itself to those who get its mail.
select name, language
from projects
where id = :project_id;
