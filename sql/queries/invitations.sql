-- name: hold_address :exec
-- Serialises inviting an address with proving that it belongs to somebody: one of the two sees the other.
select pg_advisory_xact_lock(hashtextextended('invited ' || :email, 0));

-- name: put :one
-- nullable: invited_by
-- Invites an address. Inviting it again makes the token of the previous mail invalid.
insert into invitations as i (project_id, id, email, role, invited_by, token_hash, created_at, expires_at)
values (:project_id, :id, :email, :role, :invited_by, :token_hash, :now, :expires_at)
on conflict (project_id, email) do update
set
  role       = excluded.role,
  invited_by = excluded.invited_by,
  token_hash = excluded.token_hash,
  created_at = excluded.created_at,
  expires_at = excluded.expires_at
returning i.id;

-- name: proves :one
-- Whether this token was sent to this address.
select exists (
  select
  from invitations
  where token_hash = :token_hash and email = :email and expires_at > :now
) as "proves!";

-- name: about :maybe
-- Who was sent this token, what it invites to, and the account of the address, if it has one.
select
  i.email, i.role, p.id as "project_id!", p.name as "project!", u.id as "user_id?",
  coalesce(u.email_verified_at is not null, false) as "verified!",
  coalesce(u.email_verified_at is not null and not u.verified_elsewhere, false) as "proven!",
  coalesce(u.password_hash is not null, false) as "has_password!"
from invitations i
join projects p on p.id = i.project_id and p.deleted_at is null
left join users u on u.email = i.email
where i.token_hash = :token_hash and i.expires_at > :now;

-- name: any_for :one
-- Whether this address is invited to anything.
select exists (select from invitations where email = :email and expires_at > :now) as "any!";

-- name: hold_projects :many
-- The projects that an address is invited to. None of them is deleted, and its members stay as they are, before the end
-- of the transaction.
select id
from projects
where id in (select project_id from invitations where email = :email) and deleted_at is null
order by id
for share;

-- name: accept :many
-- After `hold_projects`: turns the invitations of an address into memberships, and returns the new ones. The inviter
-- must still be a member, in whatever role.
with taken as (
  delete from invitations
  where email = :email and project_id = any(:project_ids::uuid[])
  returning project_id, role, invited_by, expires_at
)
insert into memberships (project_id, user_id, role)
select t.project_id, :user_id, t.role
from taken t
left join memberships m on m.project_id = t.project_id and m.user_id = t.invited_by
where t.expires_at > :now
  and (t.invited_by is null or m.user_id is not null)
order by t.project_id
on conflict (project_id, user_id) do nothing
returning project_id, role;

-- name: of_address :maybe
-- The one of this address to this project.
select id, role
from invitations
where project_id = :project_id and email = :email and expires_at > :now;

-- name: get :maybe
-- By its id, or by that of the account with its address.
select i.id, i.email, i.role
from invitations i
where i.project_id = :project_id
  and (i.id = :member_id or i.email = (select u.email from users u where u.id = :member_id))
  and i.expires_at > :now;

-- name: set_role :exec
-- nullable: invited_by
-- Changing the role makes somebody the inviter.
update invitations
set role = :role, invited_by = :invited_by
where project_id = :project_id and id = :invitation_id;

-- name: withdraw :exec
delete from invitations
where project_id = :project_id and id = :invitation_id;

-- name: withdraw_of :many
-- The invitations by a user.
delete from invitations
where project_id = :project_id and invited_by = :user_id and expires_at > :now
returning email, role;

-- name: purge :exec
-- Invitations that can no longer be accepted.
delete from invitations
where expires_at < :now;
