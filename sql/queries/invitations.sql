-- name: hold_address :exec
-- Keeps those who invite an address apart from its owner who proves that it is theirs: one of the two sees the other.
select pg_advisory_xact_lock(hashtextextended('invited ' || :email, 0));

-- name: put :one
-- Invites an address. Who was invited before is invited anew: the token of the mail before is of no use any more.
insert into invitations as i (project_id, id, email, role, token_hash, created_at, expires_at)
values (:project_id, :id, :email, :role, :token_hash, :now, :expires_at)
on conflict (project_id, email) do update
set
  role       = excluded.role,
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

-- name: any_for :one
-- Whether this address is invited to anything.
select exists (select from invitations where email = :email and expires_at > :now) as "any!";

-- name: accept :many
-- Turns what an address was invited to into memberships, and answers those that are new.
with taken as (
  delete from invitations
  where email = :email
  returning project_id, role, expires_at
)
insert into memberships (project_id, user_id, role)
select project_id, :user_id, role
from taken
where expires_at > :now
order by project_id
on conflict (project_id, user_id) do nothing
returning project_id, role;

-- name: of_address :maybe
-- The one of this address to this project.
select id, role
from invitations
where project_id = :project_id and email = :email and expires_at > :now;

-- name: get :maybe
select id, email, role
from invitations
where project_id = :project_id and id = :invitation_id and expires_at > :now;

-- name: set_role :exec
update invitations
set role = :role
where project_id = :project_id and id = :invitation_id;

-- name: withdraw :exec
delete from invitations
where project_id = :project_id and id = :invitation_id;

-- name: count :many
-- One more invitation today, by each of these keys. Answers how many there are now.
insert into invitation_counts as c (key, day, sent)
select key, (:now::timestamptz at time zone 'UTC')::date, 1
from unnest(:keys::text[]) as key
order by key
on conflict (key, day) do update
set sent = c.sent + 1
returning key, sent;

-- name: purge :exec
-- Those that nobody can use any more, and counts of days that are over.
with counts as (
  delete from invitation_counts
  where day < (:now::timestamptz at time zone 'UTC')::date - 1
)
delete from invitations
where expires_at < :now;
