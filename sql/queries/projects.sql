-- name: by_public_keys :many
-- The projects of these public keys. Asked for every request: a rotated key fails on the next one.
select
  public_key as key,
  id,
  disabled_at is not null as "disabled!",
  disabled_reason
from projects
where public_key = any(:keys::text[]) and deleted_at is null;

-- name: by_secret_hashes :many
-- The projects of these secret keys, by their SHA-256 in hex.
select
  encode(secret_hash, 'hex') as "key!",
  id,
  secret_hint as hint,
  disabled_at is not null as "disabled!",
  disabled_reason
from projects
where secret_hash in (select decode(hash, 'hex') from unnest(:hashes::text[]) as hash) and deleted_at is null;

-- name: insert :one
insert into projects (id, name, public_key, secret_hash, secret_hint, created_at, updated_at)
values (:id, :name, :public_key, :secret_hash, :secret_hint, :now, :now)
returning id, name, created_at;

-- name: count :one
select count(*)::int as "total!" from projects;

-- name: list :many
-- For the operator: every project, oldest first.
select
  id, name, public_key, secret_hint, tracking, language, timezone, send_rate::float8 as "send_rate?", resend_in_doubt,
  disabled_at, disabled_reason, created_at
from projects
where deleted_at is null
order by id
limit 1000;

-- name: of_user :many
-- nullable: project_id
-- The projects of a user, oldest first, with the role there: all, or this one.
select
  p.id, p.name, p.public_key as public, p.secret_hint, p.tracking, p.language, p.timezone, p.resend_in_doubt,
  p.disabled_at is not null as "disabled!", p.disabled_reason, p.created_at, p.updated_at, m.role
from memberships m
join projects p on p.id = m.project_id
where m.user_id = :user_id
  and (:project_id::uuid is null or p.id = :project_id)
  and p.deleted_at is null
order by p.id;

-- name: details :maybe
-- nullable: user_id
-- A project with all its settings, and the role that this user has in it.
select
  p.id, p.name, p.public_key as public, p.secret_hint, p.tracking, p.language, p.timezone, p.resend_in_doubt,
  p.send_rate::float8 as "send_rate?", p.disabled_at is not null as "disabled!", p.disabled_reason, p.created_at,
  p.updated_at, m.role as "role?"
from projects p
left join memberships m on m.project_id = p.id and m.user_id = :user_id
where p.id = :project_id and p.deleted_at is null;

-- name: settings :maybe
-- The settings of a project. Changing them locks the project.
select name, tracking, language, timezone, send_rate::float8 as "send_rate?", resend_in_doubt
from projects
where id = :project_id and deleted_at is null;

-- name: set_keys :exec
-- From the commit on the keys before are unknown.
update projects
set
  public_key  = :public_key,
  secret_hash = :secret_hash,
  secret_hint = :secret_hint,
  updated_at  = :now
where id = :project_id and deleted_at is null;

-- name: set_secret :exec
-- From the commit on the secret key before is unknown. The public one, which pages of the project hold, stays.
update projects
set secret_hash = :secret_hash, secret_hint = :secret_hint, updated_at = :now
where id = :project_id and deleted_at is null;

-- name: patch :maybe
-- nullable: name, tracking, language, timezone, send_rate, resend_in_doubt
-- Changes the settings given. A rate of null removes the limit, where `set_send_rate` says that it is given.
update projects
set
  name            = coalesce(:name, name),
  tracking        = coalesce(:tracking, tracking),
  language        = coalesce(:language, language),
  timezone        = coalesce(:timezone, timezone),
  send_rate       = case when :set_send_rate::boolean then :send_rate::float8::numeric else send_rate end,
  resend_in_doubt = coalesce(:resend_in_doubt::text[], resend_in_doubt),
  updated_at      = :now
where id = :project_id
returning id, name, tracking, language, timezone, send_rate::float8 as "send_rate?", resend_in_doubt;

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
where id = :project_id and disabled_at is not null and deleted_at is null;

-- name: lift_suspension :many
-- After `enable`, as a separate statement: this way it sees what was committed while `enable` waited.
update suspensions
set lifted_at = :now
where project_id = :project_id and lifted_at is null
returning reason;

-- name: hold :exec
-- Locks a project for the rest of the transaction; 0 when there is none, or it was deleted. Its mail continues to be
-- sent, and rows that refer to it can be written.
select
from projects
where id = :project_id and deleted_at is null
for no key update;

-- name: lock_all :exec
-- So that only one process makes the first project.
lock table projects in share row exclusive mode;

-- name: presented :maybe
-- How a project presents itself to recipients.
select name, language
from projects
where id = :project_id and deleted_at is null;
