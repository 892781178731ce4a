-- name: note_down :exec
-- The marks of this process count from now on. `email_ids`: what it has under way, and may have marked before.
insert into handover_marks (worker_id, email_id)
select :worker_id, unnest('00000000-0000-0000-0000-000000000000'::uuid || :email_ids::uuid[])
on conflict do nothing;

-- name: mark :one
-- Marks mails whose end is about to be sent. Answers those that may be; null where this process is not noted down.
select mark_handovers(:worker_id, :project_ids::uuid[], :email_ids::uuid[]) as "held?";

-- name: hold :exec
-- Until the commit these processes mark nothing; what they have marked is committed.
select pg_advisory_xact_lock(marks_of(id))
from unnest(:worker_ids::uuid[]) as id
order by id;

-- name: remove :exec
-- What these processes have marked is settled.
delete from handover_marks where worker_id = any(:worker_ids::uuid[]);

-- name: remove_unknown :exec
-- Marks of processes that nobody knows any more, and that hold nothing. One that lives notes itself down again.
delete from handover_marks m
where not exists (select from workers w where w.id = m.worker_id)
  and not exists (select from emails e where e.status = 'SENDING' and e.claimed_by = m.worker_id);
