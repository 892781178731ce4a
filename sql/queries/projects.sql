-- name: by_public_keys :many
-- The projects of these public keys, of the pair or named ones. Asked for every request: a rotated key fails on the next
-- one.
select
  p.public_key as "key!",
  p.id as "id!",
  p.disabled_at is not null as "disabled!",
  p.disabled_reason,
  null::uuid as "key_id?",
  null::text as "key_name?",
  null::text as "hint?",
  null::text[] as "scopes?",
  null::timestamptz as "expires_at?",
  null::timestamptz as "last_used_at?"
from projects p
where p.public_key = any(:keys::text[]) and p.deleted_at is null
union all
select
  asked.key, p.id, p.disabled_at is not null, p.disabled_reason, k.id, k.name, k.hint, k.scopes, k.expires_at,
  k.last_used_at
from unnest(:keys::text[]) as asked (key)
join project_keys k on k.hash = sha256(convert_to(asked.key, 'UTF8'))
join projects p on p.id = k.project_id and p.deleted_at is null;

-- name: by_secret_hashes :many
-- The same of secret keys, by their SHA-256 in hex.
select
  encode(p.secret_hash, 'hex') as "key!",
  p.id as "id!",
  p.disabled_at is not null as "disabled!",
  p.disabled_reason,
  null::uuid as "key_id?",
  null::text as "key_name?",
  p.secret_hint as "hint?",
  null::text[] as "scopes?",
  null::timestamptz as "expires_at?",
  null::timestamptz as "last_used_at?"
from projects p
where p.secret_hash in (select decode(hash, 'hex') from unnest(:hashes::text[]) as hash) and p.deleted_at is null
union all
select
  encode(k.hash, 'hex'), p.id, p.disabled_at is not null, p.disabled_reason, k.id, k.name, k.hint, k.scopes,
  k.expires_at, k.last_used_at
from project_keys k
join projects p on p.id = k.project_id and p.deleted_at is null
where k.hash in (select decode(hash, 'hex') from unnest(:hashes::text[]) as hash);

-- name: insert :one
insert into projects (id, name, public_key, secret_hash, secret_hint, created_at, updated_at)
values (:id, :name, :public_key, :secret_hash, :secret_hint, :now, :now)
returning id, name, created_at;

-- name: insert_sandbox :maybe
-- The sandbox of a project, which is held, with the settings of it and a pair of its own. Null where there is one.
insert into projects (
  id, sandbox_of, name, public_key, secret_hash, secret_hint, tracking, language, timezone, postal_address,
  requires_two_factor, disabled_at, disabled_reason, created_at, updated_at
)
select
  :id, id, name, :public_key, :secret_hash, :secret_hint, tracking, language, timezone, postal_address,
  requires_two_factor, disabled_at, disabled_reason, :now, :now
from projects
where id = :project_id and deleted_at is null
on conflict (id) do nothing
returning id, public_key as public, secret_hint, created_at;

-- name: count :one
select count(*)::int as "total!" from projects;

-- name: list :many
-- For the operator: every project, oldest first, without the sandboxes.
select
  id, name, public_key, secret_hint, tracking, language, timezone, send_rate::float8 as "send_rate?", resend_in_doubt,
  postal_address, requires_two_factor, disabled_at, disabled_reason, created_at
from projects
where deleted_at is null and sandbox_of is null
order by id
limit 1000;

-- name: of_user :many
-- nullable: project_id
-- The projects of a user, oldest first, with the role there: all but sandboxes, or this one. The members of a sandbox are
-- those of its project.
select
  p.id, p.name, p.public_key as public, p.secret_hint, p.tracking, p.language, p.timezone, p.resend_in_doubt,
  p.send_rate::float8 as "send_rate?", p.postal_address, p.requires_two_factor,
  p.disabled_at is not null as "disabled!", p.disabled_reason, p.created_at, p.updated_at, m.role, p.sandbox_of,
  s.id as "sandbox_id?", s.public_key as "sandbox_public?", s.secret_hint as "sandbox_secret_hint?",
  s.created_at as "sandbox_created_at?"
from memberships m
cross join lateral (
  select id from projects where id = m.project_id and (:project_id::uuid is null or id = :project_id)
  union all
  select id from projects where sandbox_of = m.project_id and id = :project_id
) as shown
join projects p on p.id = shown.id
left join projects s on s.sandbox_of = p.id and s.deleted_at is null
where m.user_id = :user_id and p.deleted_at is null
order by p.id;

-- name: details :maybe
-- nullable: user_id
-- A project with all its settings, and the role that this user has in it.
select
  p.id, p.name, p.public_key as public, p.secret_hint, p.tracking, p.language, p.timezone, p.resend_in_doubt,
  p.send_rate::float8 as "send_rate?", p.postal_address, p.requires_two_factor, p.webhook_secret,
  p.disabled_at is not null as "disabled!", p.disabled_reason, p.created_at, p.updated_at, m.role as "role?", p.sandbox_of,
  s.id as "sandbox_id?", s.public_key as "sandbox_public?", s.secret_hint as "sandbox_secret_hint?",
  s.created_at as "sandbox_created_at?"
from projects p
left join memberships m on m.project_id = coalesce(p.sandbox_of, p.id) and m.user_id = :user_id
left join projects s on s.sandbox_of = p.id and s.deleted_at is null
where p.id = :project_id and p.deleted_at is null;

-- name: settings :maybe
-- The settings of a project. Changing them locks the project.
select
  name, tracking, language, timezone, send_rate::float8 as "send_rate?", resend_in_doubt, postal_address,
  requires_two_factor
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
-- nullable: name, tracking, language, timezone, send_rate, resend_in_doubt, postal_address, requires_two_factor
-- Changes the settings given of a project that is held. A rate or an address of null is removed, where `set_send_rate` and
-- `set_postal_address` say that it is given. Its time stays where nothing is another one.
with given as (
  select
    id,
    coalesce(:name, name) as name,
    coalesce(:tracking, tracking) as tracking,
    coalesce(:language, language) as language,
    coalesce(:timezone, timezone) as timezone,
    case when :set_send_rate::boolean then :send_rate::float8::numeric else send_rate end as send_rate,
    coalesce(:resend_in_doubt::text[], resend_in_doubt) as resend_in_doubt,
    case when :set_postal_address::boolean then :postal_address else postal_address end as postal_address,
    coalesce(:requires_two_factor, requires_two_factor) as requires_two_factor
  from projects
  where id = :project_id
)
update projects p
set
  name                = g.name,
  tracking            = g.tracking,
  language            = g.language,
  timezone            = g.timezone,
  send_rate           = g.send_rate,
  resend_in_doubt     = g.resend_in_doubt,
  postal_address      = g.postal_address,
  requires_two_factor = g.requires_two_factor,
  updated_at          = case
    when (
      p.name, p.tracking, p.language, p.timezone, p.send_rate, p.resend_in_doubt, p.postal_address,
      p.requires_two_factor
    ) is distinct from (
      g.name, g.tracking, g.language, g.timezone, g.send_rate, g.resend_in_doubt, g.postal_address,
      g.requires_two_factor
    ) then :now
    else p.updated_at
  end
from given g
where p.id = g.id
returning
  p.id, p.name, p.tracking, p.language, p.timezone, p.send_rate::float8 as "send_rate?", p.resend_in_doubt,
  p.postal_address, p.requires_two_factor;

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
-- How a project presents itself to recipients, and whether it follows what they do.
select name, language, postal_address, tracking
from projects
where id = :project_id and deleted_at is null;
