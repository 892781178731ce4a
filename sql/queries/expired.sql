-- name: note :exec
-- From the commit on it is known that rows of this kind may be missing before a moment.
insert into expired as e (kind, until)
values (:kind, :until)
on conflict (kind) do update
set until = excluded.until
where e.until < excluded.until;

-- name: of_project :maybe
-- Until when rows of a project may be missing; null where none has been taken away since it was made.
select
  (select x.until from expired x where x.kind = 'events' and x.until > p.created_at) as "events?",
  (select x.until from expired x where x.kind = 'emails' and x.until > p.created_at) as "emails?"
from projects p
where p.id = :project_id;
