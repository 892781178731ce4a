-- name: insert :maybe
-- Null when this user was sent `allowed` of them since `since`: a mailbox is not filled by asking again and again.
insert into account_tokens (token_hash, user_id, purpose, created_at, expires_at)
select :token_hash, :user_id, :purpose, :now, :expires_at
where (
  select count(*)
  from account_tokens t
  where t.user_id = :user_id and t.purpose = :purpose and t.created_at > :since
) < :allowed::int
returning user_id;

-- name: is_good :one
-- Whether `use` would take it.
select exists (
  select
  from account_tokens
  where token_hash = :token_hash and purpose = :purpose and expires_at > :now
) as "good!";

-- name: use :maybe
-- A token is good for one use. Null when it is unknown, used, expired, or for another purpose.
delete from account_tokens
where token_hash = :token_hash and purpose = :purpose and expires_at > :now
returning user_id;

-- name: drop :exec
-- The other tokens of a user for the same purpose, once one of them was used.
delete from account_tokens
where user_id = :user_id and purpose = :purpose;

-- name: purge :exec
delete from account_tokens
where token_hash in (
  select token_hash
  from account_tokens
  where expires_at <= :now
  order by expires_at
  limit :limit::int
);
