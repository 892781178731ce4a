-- name: insert :maybe
-- nullable: password_hash, email_verified_at
-- Null when the address is taken, including by a concurrent request.
insert into users (id, email, password_hash, email_verified_at, created_at)
values (:id, :email, :password_hash, :email_verified_at, :now)
on conflict (email) do nothing
returning id, email;

-- name: by_email :maybe
-- `proven`: the holder of the account is known to read the mail of its address.
select
  id, email, password_hash, email_verified_at, created_at,
  email_verified_at is not null and not verified_elsewhere as "proven!"
from users
where email = :email;

-- name: hold :maybe
-- Locks a user with this very password for the rest of the transaction. Null when it was changed since it was checked:
-- a session that begins now would outlive the change.
select id, email
from users
where id = :user_id and password_hash = :password_hash
for no key update;

-- name: hold_by_email :maybe
-- The user with an address, locked for the rest of the transaction.
select id, email, email_verified_at is not null and not verified_elsewhere as "proven!"
from users
where email = :email
for no key update;

-- name: by_id :one
select
  id, email, name, email_verified_at, created_at, password_hash is not null as "has_password!",
  email_verified_at is not null and not verified_elsewhere as "proven!"
from users
where id = :user_id;

-- name: find :maybe
select id, email
from users
where id = :user_id;

-- name: can_prove :one
-- Whether there is something that this user could enter to show who they are.
select has_two_factor(:user_id) or exists (
  select
  from users
  where id = :user_id and password_hash is not null
) as "can_prove!";

-- name: set_name :exec
-- nullable: name
update users
set name = :name
where id = :user_id;

-- name: prove :exec
-- The holder of the account reads the mail of its address.
update users
set email_verified_at = coalesce(email_verified_at, :now), verified_elsewhere = false
where id = :user_id;

-- name: set_email :exec
-- The holder of the account reads the mail of the new address. 0 when another account has it; of two at once, one
-- violates `users_email_key`.
update users
set email = :email, email_verified_at = :now, verified_elsewhere = false
where id = :user_id and not exists (select from users o where o.email = :email);

-- name: verify_elsewhere :exec
-- Somebody reads the mail of the address. 0 when that was known before.
update users
set email_verified_at = :now, verified_elsewhere = true
where id = :user_id and email_verified_at is null;

-- name: remove :exec
-- With its sessions, tokens and linked sign-ins.
delete from users
where id = :user_id;

-- name: set_password :exec
update users
set password_hash = :password_hash
where id = :user_id;

-- name: looks_after :many
-- The projects of a user, each with the addresses of its other members.
select
  p.id,
  p.name,
  array(
    select u.email
    from memberships o
    join users u on u.id = o.user_id
    where o.project_id = p.id and o.user_id <> m.user_id
    order by u.email
  ) as "others!"
from memberships m
join projects p on p.id = m.project_id and p.deleted_at is null
where m.user_id = :user_id
order by p.id;

-- name: list :many
-- For the operator: every account, oldest first, with how many projects it looks after.
select
  u.id, u.email, u.email_verified_at is not null as "email_verified!", u.created_at,
  (
    select count(*)::int
    from memberships m
    join projects p on p.id = m.project_id and p.deleted_at is null
    where m.user_id = u.id
  ) as "projects!"
from users u
order by u.id
limit 1000;
