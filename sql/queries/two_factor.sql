-- name: of_user :one
-- What a user has besides the password.
select
  has_two_factor(:user_id) as "enabled!",
  (select confirmed_at from totp_secrets where user_id = :user_id) as "totp_since?",
  (select count(*)::int from passkeys where user_id = :user_id) as "passkeys!",
  (select count(*)::int from recovery_codes where user_id = :user_id) as "recovery_codes!";

-- name: is_on :one
select has_two_factor(:user_id) as "on!";

-- name: required_by :many
-- The projects of a user that let nobody in without two-factor log-in.
select p.id, p.name
from memberships m
join projects p on p.id = m.project_id and p.deleted_at is null and p.requires_two_factor
where m.user_id = :user_id
order by p.name, p.id;

-- name: totp :maybe
select sealed, pending, pending_at
from totp_secrets
where user_id = :user_id;

-- name: begin_totp :exec
insert into totp_secrets (user_id, pending, pending_at)
values (:user_id, :pending, :now)
on conflict (user_id) do update
set pending = excluded.pending, pending_at = excluded.pending_at;

-- name: confirm_totp :exec
-- With the code of this step, which counts as used. 0 when another secret is pending by now.
update totp_secrets
set sealed = pending, confirmed_at = :now, last_step = :step::int, pending = null, pending_at = null
where user_id = :user_id and pending = :pending;

-- name: use_step :exec
-- 0 when the code of this step, or of a later one, was used before.
update totp_secrets
set last_step = :step::int
where user_id = :user_id and sealed is not null and (last_step is null or last_step < :step::int);

-- name: remove_totp :maybe
-- Null when there was none that was confirmed.
delete from totp_secrets
where user_id = :user_id
returning sealed is not null as "was_on!";

-- name: add_codes :exec
insert into recovery_codes (user_id, hash)
select :user_id, decode(h, 'hex')
from unnest(:hashes::text[]) as h;

-- name: drop_codes :exec
delete from recovery_codes
where user_id = :user_id;

-- name: use_code :exec
-- 0 when it is none, or was used.
delete from recovery_codes
where user_id = :user_id and hash = :hash;

-- name: challenge :exec
insert into login_challenges (token_hash, user_id, created_at, expires_at)
values (:token_hash, :user_id, :now, :expires_at);

-- name: challenged :maybe
-- Who is to give a second factor.
select u.id, u.email
from login_challenges c
join users u on u.id = c.user_id
where c.token_hash = :token_hash and c.expires_at > :now;

-- name: end_challenge :exec
-- 0 when it was answered in the meantime.
delete from login_challenges
where token_hash = :token_hash;

-- name: end_challenges :exec
delete from login_challenges
where user_id = :user_id;

-- name: purge_challenges :exec
delete from login_challenges
where token_hash in (
  select token_hash
  from login_challenges
  where expires_at <= :now
  order by expires_at
  limit :limit::int
);
