-- name: note_down :exec
-- The marks of this process are valid from now on. `email_ids` are the mails that it has in flight and may have marked
-- before; they are kept in a separate place, below those of groups. If the reply to a note was lost, the note may still
-- arrive after a later one: it then changes nothing.
with noted as (
  insert into handover_notes (worker_id, epoch)
  values (:worker_id, :epoch)
  on conflict (worker_id) do update set epoch = excluded.epoch where handover_notes.epoch < excluded.epoch
)
insert into handover_marks (worker_id, place, email_ids)
values (:worker_id, -:epoch::int, :email_ids)
on conflict (worker_id, place) do nothing;

-- name: mark :one
-- Marks mails whose end is about to be sent. Returns those that may be; null if this process is not noted down.
select mark_handovers(:worker_id, :epoch, :place, :project_ids::uuid[], :email_ids::uuid[]) as "held?";

-- name: hold :exec
-- Until the commit these processes can mark nothing; their earlier marks are committed.
select pg_advisory_xact_lock(marks_of(id))
from unnest(:worker_ids::uuid[]) as id
order by id;

-- name: remove :exec
-- What these processes have marked is settled, and they are not noted down any more.
with forgotten as (
  delete from handover_notes where worker_id = any(:worker_ids::uuid[])
)
delete from handover_marks where worker_id = any(:worker_ids::uuid[]);

-- name: remove_unknown :exec
-- Marks of unknown processes that hold no mail. A process that is alive notes itself down again.
with unknown as materialized (
  select n.worker_id
  from (select worker_id from handover_notes union select worker_id from handover_marks) as n
  where not exists (select from workers w where w.id = n.worker_id)
    and not exists (select from emails e where e.status = 'SENDING' and e.claimed_by = n.worker_id)
),
forgotten as (
  delete from handover_notes where worker_id in (select worker_id from unknown)
)
delete from handover_marks where worker_id in (select worker_id from unknown);
