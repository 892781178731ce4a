-- name: list :many
select id, name, created_at, last_used_at
from passkeys
where user_id = :user_id
order by id;

-- name: credentials :many
select credential_id, transports
from passkeys
where user_id = :user_id
order by id;

-- name: by_credential :maybe
select p.id, p.user_id, u.email, p.public_key, p.counter::float8 as "counter!", p.transports
from passkeys p
join users u on u.id = p.user_id
where p.credential_id = :credential_id;

-- name: insert :maybe
-- Null if this credential is registered already, or the user has as many as allowed.
insert into passkeys (user_id, id, credential_id, public_key, counter, transports, name, created_at)
select :user_id, :id, :credential_id, :public_key, :counter::float8::bigint, :transports, :name, :now
where (select count(*) from passkeys where user_id = :user_id) < :max::int
on conflict (credential_id) do nothing
returning id, name, created_at, last_used_at;

-- name: note_use :exec
-- 0 when the counter has gone on in the meantime: the same answer twice, or a copy of the authenticator.
update passkeys
set counter = :counter::float8::bigint, last_used_at = :now
where user_id = :user_id and id = :id and (counter < :counter::float8 or (counter = 0 and :counter::float8 = 0));

-- name: rename :maybe
update passkeys
set name = :name
where user_id = :user_id and id = :id
returning id, name, created_at, last_used_at;

-- name: remove :maybe
delete from passkeys
where user_id = :user_id and id = :id
returning name;

-- name: drop :exec
delete from passkeys
where user_id = :user_id;

-- name: take_answer :exec
-- 0 when this challenge was answered before.
insert into passkey_answers (challenge_hash, taken_at)
values (:challenge_hash, :now)
on conflict do nothing;

-- name: purge_answers :exec
delete from passkey_answers
where challenge_hash in (
  select challenge_hash
  from passkey_answers
  where taken_at <= :before
  order by taken_at
  limit :limit::int
);
