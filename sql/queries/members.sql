-- name: list :many
-- The members of a project, oldest first, followed by those invited, by their account if there is one. Those of a sandbox
-- are those of its project.
with project as materialized (
  select coalesce(sandbox_of, id) as id from projects where id = :project_id
)
select m.user_id as "id!", u.email as "email!", m.role as "role!", true as "active!"
from memberships m
join users u on u.id = m.user_id
where m.project_id = (select id from project)
union all
select coalesce(u.id, i.id), i.email, i.role, false
from invitations i
left join users u on u.email = i.email
where i.project_id = (select id from project) and i.expires_at > :now
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
-- The user with this address; `proven` as in `users.sql`.
select id, email, email_verified_at is not null and not verified_elsewhere as "proven!"
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

-- name: hold_projects :exec
-- The projects of a user: their members stay as they are for the rest of the transaction.
select
from projects
where id in (select project_id from memberships where user_id = :user_id) and deleted_at is null
order by id
for no key update;

-- name: of_user :many
-- After `hold_projects`, and not in the same statement: it waits for those who were adding members. `alone`: there is
-- no other member; `led`: somebody else is its owner, or would become it (`promote`); `only_owner`: nobody else is its owner.
select
  m.project_id,
  m.role,
  p.name,
  exists (
    select
    from memberships o
    where o.project_id = m.project_id and o.user_id <> m.user_id and o.role in ('OWNER', 'ADMIN')
  ) as "led!",
  m.role = 'OWNER' and not exists (
    select
    from memberships o
    where o.project_id = m.project_id and o.user_id <> m.user_id and o.role = 'OWNER'
  ) as "only_owner!",
  not exists (
    select
    from memberships o
    where o.project_id = m.project_id and o.user_id <> m.user_id
  ) as "alone!"
from memberships m
join projects p on p.id = m.project_id and p.deleted_at is null
where m.user_id = :user_id
order by m.project_id;

-- name: leave :exec
-- Takes a user out of projects, with whom they have invited there.
with withdrawn as (
  delete from invitations
  where invited_by = :user_id and project_id = any(:project_ids::uuid[])
)
delete from memberships
where user_id = :user_id and project_id = any(:project_ids::uuid[]);

-- name: promote :many
-- Where no owner is left, the longest-serving admin becomes one. Nobody else does: a member may not read keys, nor pay.
with heirs as (
  select distinct on (m.project_id) m.project_id, m.user_id, m.role
  from memberships m
  where m.project_id = any(:project_ids::uuid[]) and m.role = 'ADMIN'
    and not exists (
      select
      from memberships o
      where o.project_id = m.project_id and o.role = 'OWNER'
    )
  order by m.project_id, m.created_at, m.user_id
)
update memberships m
set role = 'OWNER'
from heirs h
join users u on u.id = h.user_id
where m.project_id = h.project_id and m.user_id = h.user_id
returning m.project_id, u.email, h.role as was;

-- name: without_owner :many
-- Those of the projects that have no owner.
select p.id
from projects p
where p.id = any(:project_ids::uuid[]) and p.deleted_at is null
  and not exists (
    select
    from memberships o
    where o.project_id = p.id and o.role = 'OWNER'
  )
order by p.id;
