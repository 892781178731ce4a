-- name: insert :one
insert into captured_mails (from_address, to_address, subject, source)
values (:from_address, :to_address, :subject, :source)
returning id;

-- name: list :many
-- nullable: after_id
-- The newest first; with `after_id` only what came since.
select id, from_address, to_address, subject, captured_at
from captured_mails
where :after_id::uuid is null or id > :after_id
order by id desc
limit :limit::int;

-- name: by_id :maybe
select id, from_address, to_address, subject, source, captured_at
from captured_mails
where id = :id;

-- name: prune :exec
-- Keeps the newest `keep` mails.
delete from captured_mails
where id <= (select id from captured_mails order by id desc offset :keep::int limit 1);

-- name: clear :exec
delete from captured_mails;
