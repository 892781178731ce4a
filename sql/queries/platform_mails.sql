-- name: insert :one
insert into platform_mails (id, to_address, subject, words, reason, created_at)
values (:id, :to_address, :subject, :words, :reason, :now)
returning id;

-- name: members_to_tell :many
-- Those who answer for a project, or for that of a sandbox: its owners and admins.
select u.email
from projects p
join memberships m on m.project_id = coalesce(p.sandbox_of, p.id)
join users u on u.id = m.user_id
where p.id = :project_id and m.role in ('OWNER', 'ADMIN')
order by u.id;

-- name: claim :maybe
-- Null for a mail that was sent, is being sent, was given up or is not there. What somebody held too long is in doubt:
-- that process died, perhaps after the mail was taken.
update platform_mails
set attempts = attempts + 1, doubts = doubts + (held_until is not null)::int, held_until = :held_until
where id = :mail_id
  and sent_at is null
  and failed_at is null
  and (held_until is null or held_until < :now)
returning to_address, subject, words, reason, attempts, doubts, created_at;

-- name: is_open :one
-- Whether it has still to be sent, by whomever.
select exists (
  select from platform_mails where id = :mail_id and sent_at is null and failed_at is null
) as "open!";

-- name: settle :exec
-- nullable: error, sent_at, failed_at
-- The outcome of an attempt. With neither time it is tried again; otherwise its text is no longer needed. Without a
-- connection nothing was tried, and that does not count as an attempt.
update platform_mails
set
  words      = case when coalesce(:sent_at::timestamptz, :failed_at::timestamptz) is null then words end,
  held_until = null,
  attempts   = attempts - (not :was_tried::boolean)::int,
  doubts     = doubts + (:in_doubt::boolean)::int,
  error      = :error,
  sent_at    = :sent_at,
  failed_at  = :failed_at
where id = :mail_id and sent_at is null;

-- name: purge :exec
-- Old ones, oldest first.
delete from platform_mails
where id in (
  select id
  from platform_mails
  where created_at < :before
  order by created_at
  limit :limit::int
);
