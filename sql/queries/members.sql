-- name: list :many
-- Who looks after a project, the oldest first, and then who was asked to.
select m.user_id as "id!", u.email as "email!", m.role as "role!", true as "active!"
from memberships m
join users u on u.id = m.user_id
where m.project_id = :project_id
union all
select i.id, i.email, i.role, false
from invitations i
where i.project_id = :project_id and i.expires_at > :now
order by "active!" desc, "id!";

-- name: role :maybe
select role
from memberships
where project_id = :project_id and user_id = :user_id;

-- name: get :maybe
select m.user_id as id, u.email, m.role
from memberships m
join users u on u.id = m.user_id
where m.project_id = :project_id and m.user_id = :user_id;

-- name: owners :one
select count(*)::int as "total!"
from memberships
where project_id = :project_id and role = 'OWNER';

-- name: total :one
-- Members and invited ones.
select
  (
    select count(*)::int from memberships where project_id = :project_id
  ) + (
    select count(*)::int from invitations where project_id = :project_id and expires_at > :now
  ) as "total!";

-- name: add :maybe
-- Null for one who is a member already.
insert into memberships (project_id, user_id, role)
values (:project_id, :user_id, :role)
on conflict (project_id, user_id) do nothing
returning user_id;

-- name: set_role :exec
update memberships
set role = :role
where project_id = :project_id and user_id = :user_id;

-- name: remove :exec
delete from memberships
where project_id = :project_id and user_id = :user_id;

-- name: with_address :maybe
-- Who has an account with this address.
select id, email, email_verified_at is not null as "verified!"
from users
where email = :email;

-- name: hold_user :exec
-- So that what follows sees what others did for the same user until now.
select
from users
where id = :user_id
for no key update;

-- name: owned_by :one
-- How many projects a user owns. After `hold_user` it is exact.
select count(*)::int as "total!"
from memberships m
join projects p on p.id = m.project_id and p.deleted_at is null
where m.user_id = :user_id and m.role = 'OWNER';
