-- name: user_of :maybe
-- The user who has signed in as this before.
select u.id, u.email
from identities i
join users u on u.id = i.user_id
where i.issuer = :issuer and i.subject = :subject;

-- name: hold_user :maybe
-- The user with an address, held until the transaction ends.
select id, email, email_verified_at
from users
where email = :email
for update;

-- name: add :exec
-- No row when somebody else was first.
insert into identities (issuer, subject, user_id)
values (:issuer, :subject, :user_id)
on conflict do nothing;
