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
where project_id = :project_id and email_id = any(:email_ids::uuid[]);

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

-- name: reschedule :many
-- Gives another time to a mail that waits for its time and was not tried yet, and to those others of its message, if it is the
-- first one. A process that claims it now is waited for, and then it is too late. None if that mail is sent already.
with asked as materialized (
  select id
  from emails
  where project_id = :project_id
    and id = :email_id
    and status = 'PENDING'
    and scheduled_for is not null
    and attempts = 0
  for update
)
update emails e
set scheduled_for = :send_at, due_at = :send_at, claimed_by = null
from (
  select id
  from asked
  union
  select m.id
  from asked a
  join emails m on m.project_id = :project_id and m.parent_id = a.id and m.resend_of is null
) as o
where e.project_id = :project_id
  and e.id = o.id
  and e.status = 'PENDING'
  and e.scheduled_for is not null
  and e.attempts = 0
returning e.id;

-- name: cancel :many
-- Closes a single mail that was not sent yet, and those others of its message, if it is the first one. Gives back what they
-- took of the month in which they were accepted. Not one that was in doubt: its recipient may have it. None if that mail cannot
-- be cancelled.
with asked as materialized (
  select id
  from emails
  where project_id = :project_id
    and id = :email_id
    and status = 'PENDING'
    and source_type = 'TRANSACTIONAL'
    and doubted_at is null
    and captured_at is null
  for update
),
cancelled as (
  update emails e
  set status = 'SUPPRESSED', error = 'Cancelled before it was sent', data = null
  from (
    select id
    from asked
    union
    select m.id
    from asked a
    join emails m on m.project_id = :project_id and m.parent_id = a.id and m.resend_of is null
  ) as o
  where e.project_id = :project_id
    and e.id = o.id
    and e.status = 'PENDING'
    and e.source_type = 'TRANSACTIONAL'
    and e.doubted_at is null
    and e.captured_at is null
  returning e.id, coalesce(e.released_at, e.queued_at) as charged_at
),
unscheduled as (
  delete from scheduled_emails
  where project_id = :project_id and email_id in (select id from cancelled)
),
given_back as (
  insert into usage_deltas (project_id, month, category, used)
  select :project_id, usage_month(charged_at), 'transactional', -count(*)
  from cancelled
  group by usage_month(charged_at)
)
select id
from cancelled;
