-- name: note :exec
-- From the commit on it is known that rows of this kind may be missing before a moment.
insert into expired as e (kind, until)
values (:kind, :until)
on conflict (kind) do update
set until = excluded.until
where e.until < excluded.until;

-- name: now :one
select now() as "now!";

-- name: of_project :maybe
-- The time before which rows of a project may be missing; null if none has been deleted since it was created.
select expired_until(id, 'events') as "events?", expired_until(id, 'emails') as "emails?"
from projects
where id = :project_id;
