-- name: insert :maybe
-- nullable: new_email
-- Null when this user was sent `allowed` of them since `since`: a mailbox is not filled by asking again and again.
insert into account_tokens (token_hash, user_id, purpose, created_at, expires_at, new_email)
select :token_hash, :user_id, :purpose, :now, :expires_at, :new_email
where (
  select count(*)
  from account_tokens t
  where t.user_id = :user_id and t.purpose = :purpose and t.created_at > :since
) < :allowed::int
returning user_id;

-- name: owner :maybe
-- Whose token this is, if `use` would take it; `proven` as in `users.sql`.
select
  u.id, u.email, u.email_verified_at, u.created_at, u.password_hash is not null as "has_password!", t.new_email,
  u.email_verified_at is not null and not u.verified_elsewhere as "proven!"
from account_tokens t
join users u on u.id = t.user_id
where t.token_hash = :token_hash and t.purpose = :purpose and t.expires_at > :now;

-- name: about :maybe
-- What this token is for, whatever that is, and whose; `proven` as in `users.sql`. It is left to be used.
select
  t.purpose, u.email, t.new_email, u.id as "user_id?", u.email_verified_at is not null as "verified!",
  u.email_verified_at is not null and not u.verified_elsewhere as "proven!",
  u.password_hash is not null as "has_password!"
from account_tokens t
join users u on u.id = t.user_id
where t.token_hash = :token_hash and t.expires_at > :now;

-- name: hold_owner :maybe
-- Whose token this is, locked for the rest of the transaction: two tokens of one person are used one after another.
-- Null when it is unknown, used, expired, or for another purpose.
select u.id
from account_tokens t
join users u on u.id = t.user_id
where t.token_hash = :token_hash and t.purpose = :purpose and t.expires_at > :now
for no key update of u;

-- name: use :maybe
-- A token works once; using it uses up all others of its user for the same purpose. Null when one of them was used in
-- the meantime.
with gone as (
  delete from account_tokens
  where user_id = :user_id and purpose = :purpose
  returning token_hash
)
select true as "used!"
from gone
where token_hash = :token_hash;

-- name: drop :exec
-- Every token of a user.
delete from account_tokens
where user_id = :user_id;

-- name: expire :exec
-- No token for this purpose that was mailed until now is good any more. The rows stay: they count how many were mailed.
update account_tokens
set expires_at = created_at
where user_id = :user_id and purpose = :purpose and expires_at > created_at;

-- name: pending_email :maybe
-- The address that is to become that of a user, once a mail to it is answered.
select new_email as "new_email!", expires_at
from account_tokens
where user_id = :user_id and purpose = 'CHANGE_EMAIL' and expires_at > :now and new_email is not null
order by created_at desc
limit 1;

-- name: purge :exec
delete from account_tokens
where token_hash in (
  select token_hash
  from account_tokens
  where created_at <= :before
  order by created_at
  limit :limit::int
);
