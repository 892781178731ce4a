-- Keys of projects beside their pair.

-- name: list :many
select id, name, scopes, hint, created_by, created_at, expires_at, last_used_at
from project_keys
where project_id = :project_id
order by id;

-- name: insert :maybe
-- nullable: expires_at
-- No row where the project has `max` already. Its row is locked (`projects.hold`).
insert into project_keys (project_id, id, name, scopes, hash, hint, created_by, created_at, expires_at)
select :project_id, :id, :name, :scopes::text[], :hash, :hint, :created_by, :now, :expires_at
where (select count(*) from project_keys where project_id = :project_id) < :max::int
returning id, name, scopes, hint, created_by, created_at, expires_at, last_used_at;

-- name: patch :maybe
-- nullable: name, scopes, expires_at
-- Changes what is given. A time of null takes the expiry away, where `set_expires_at` says that it is given.
update project_keys
set
  name       = coalesce(:name, name),
  scopes     = coalesce(:scopes::text[], scopes),
  expires_at = case when :set_expires_at::boolean then :expires_at::timestamptz else expires_at end
where project_id = :project_id and id = :key_id
returning id, name, scopes, hint, created_by, created_at, expires_at, last_used_at;

-- name: remove :maybe
-- From the commit on the key is unknown.
delete from project_keys
where project_id = :project_id and id = :key_id
returning name, hint;

-- name: note_use :exec
-- These keys were used now.
update project_keys
set last_used_at = :now
where (project_id, id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[]))
  and (last_used_at is null or last_used_at < :now);
