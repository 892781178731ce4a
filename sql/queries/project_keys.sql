-- Keys of projects besides their pair.

-- name: list :many
-- There are at most 50.
select id, name, scopes, is_public, hint, created_by, created_at, expires_at, last_used_at
from project_keys
where project_id = :project_id
order by id;

-- name: by_id :maybe
select id, name, scopes, is_public, hint, created_by, created_at, expires_at, last_used_at
from project_keys
where project_id = :project_id and id = :key_id;

-- name: insert :maybe
-- nullable: expires_at
-- No row where the project has `max` already. Its row is locked (`projects.hold`).
insert into project_keys (project_id, id, name, scopes, is_public, hash, hint, created_by, created_at, expires_at)
select
  :project_id, :id, :name, :scopes::text[], :is_public, :hash, :hint, :created_by, :now::timestamptz,
  :expires_at::timestamptz
where (select count(*) from project_keys where project_id = :project_id) < :max::int
returning id, name, scopes, is_public, hint, created_by, created_at, expires_at, last_used_at;

-- name: patch :one
-- nullable: name, scopes, expires_at
-- Changes what is given. A time of null takes the expiry away, where `set_expires_at` says that it is given. The caller
-- has locked the project and seen the key.
update project_keys
set
  name       = coalesce(:name, name),
  scopes     = coalesce(:scopes::text[], scopes),
  expires_at = case when :set_expires_at::boolean then :expires_at::timestamptz else expires_at end
where project_id = :project_id and id = :key_id
returning id, name, scopes, is_public, hint, created_by, created_at, expires_at, last_used_at;

-- name: remove :maybe
-- From the commit on the key is unknown.
delete from project_keys
where project_id = :project_id and id = :key_id
returning name, hint;

-- name: note_use :exec
-- These keys were used now. One that somebody else is writing is passed over: its next use is noted a minute later.
with used as (
  select k.project_id, k.id
  from unnest(:project_ids::uuid[], :ids::uuid[]) as u (project_id, id)
  join project_keys k on k.project_id = u.project_id and k.id = u.id
  where k.last_used_at is null or k.last_used_at < :now
  for no key update of k skip locked
)
update project_keys k
set last_used_at = :now
from used
where k.project_id = used.project_id and k.id = used.id;
