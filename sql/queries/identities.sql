-- name: user_of :maybe
-- The user who has signed in with this identity before.
select u.id, u.email
from identities i
join users u on u.id = i.user_id
where i.issuer = :issuer and i.subject = :subject;

-- name: add :exec
-- No row when somebody else was first.
insert into identities (issuer, subject, user_id)
values (:issuer, :subject, :user_id)
on conflict do nothing;
