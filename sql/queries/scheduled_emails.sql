-- name: put :exec
-- Keeps mails until they are due soon. `rows` holds `{email_id, send_at}`. One that is kept gets another time.
insert into scheduled_emails as s (project_id, email_id, send_at)
select :project_id, r.email_id, r.send_at
from json_to_recordset(:rows::json) as r (email_id uuid, send_at timestamptz)
order by r.email_id
on conflict (project_id, email_id) do update
set send_at = excluded.send_at;

-- name: remove :exec
delete from scheduled_emails
where project_id = :project_id and email_id = :email_id;

-- name: take_due :many
-- Takes mails out that are due before a time, the first ones first: the caller gives them jobs in the same transaction.
with due as materialized (
  select project_id, email_id
  from scheduled_emails
  where send_at < :before
  order by send_at
  limit :limit::int
  for update skip locked
)
delete from scheduled_emails s
using due d
where s.project_id = d.project_id and s.email_id = d.email_id
returning s.project_id, s.email_id as id, s.send_at;

-- name: reschedule :maybe
-- Gives another time to a mail that waits for its time and was not tried yet. A process that claims it now is waited for,
-- and then it is too late.
update emails
set scheduled_for = :send_at, due_at = :send_at
where project_id = :project_id
  and id = :email_id
  and status = 'PENDING'
  and scheduled_for is not null
  and attempts = 0
returning id;

-- name: cancel :maybe
-- Closes a single mail that was not sent yet, and gives back what it took of the month in which it was accepted. Not one that
-- was in doubt: its recipient may have it.
with cancelled as (
  update emails
  set status = 'SUPPRESSED', error = 'Cancelled before it was sent', data = null
  where project_id = :project_id
    and id = :email_id
    and status = 'PENDING'
    and source_type = 'TRANSACTIONAL'
    and doubted_at is null
    and captured_at is null
  returning id, coalesce(released_at, queued_at) as charged_at
),
unscheduled as (
  delete from scheduled_emails
  where project_id = :project_id and email_id in (select id from cancelled)
),
given_back as (
  insert into usage_deltas (project_id, month, category, used)
  select :project_id, usage_month(charged_at), 'transactional', -1
  from cancelled
)
select id
from cancelled;
