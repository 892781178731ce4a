-- name: end_executions :exec
-- No workflow continues for a contact that is deleted, and what its executions knew of it is forgotten.
with theirs as materialized (
  select project_id, id
  from executions
  where project_id = :project_id and contact_id = any(:contact_ids::uuid[])
  order by id
  for update
),
ended as (
  update executions e
  set
    exit_reason       = case when e.completed_at is null then 'The contact was deleted' else e.exit_reason end,
    status            = case when e.completed_at is null then 'CANCELLED' else e.status end,
    completed_at      = coalesce(e.completed_at, :now),
    step_execution_id = null,
    wake_at           = null,
    revision          = e.revision + 1,
    context           = '{}'
  from theirs t
  where e.project_id = t.project_id and e.id = t.id and (e.completed_at is null or e.context <> '{}')
),
let_go as (
  delete from waits w
  using theirs t
  where w.project_id = t.project_id and w.execution_id = t.id
)
update step_executions s
set
  error        = case when s.completed_at is null then 'The contact was deleted' else s.error end,
  status       = case when s.completed_at is null then 'FAILED' else s.status end,
  completed_at = coalesce(s.completed_at, :now),
  output       = null
from theirs t
where s.project_id = t.project_id
  and s.execution_id = t.id
  and (s.completed_at is null or s.output is not null);

-- name: part_with_emails :exec
-- The ledger outlives the contact: its identity is erased (the address becomes a hash that only the same address in the
-- same project has), the outcome of each mail is kept, and unsent mails are not sent. No message names it any more.
with theirs as materialized (
  select project_id, id, content_id, address, parent_id
  from emails
  where project_id = :project_id and contact_id = any(:contact_ids::uuid[])
  order by id
  for update
),
unnamed as (
  update contents c
  set
    recipients = (
      select jsonb_object_agg(
        l.role,
        coalesce(
          (
            select jsonb_agg(r.mailbox order by r.n)
            from jsonb_array_elements(l.mailboxes) with ordinality as r (mailbox, n)
            where r.mailbox ->> 'email' <> all (t.addresses)
          ),
          '[]'
        )
      )
      from jsonb_each(c.recipients) as l (role, mailboxes)
    )
  from (
    select content_id, array_agg(address) as addresses
    from theirs
    where parent_id is not null
    group by content_id
  ) as t
  where c.project_id = :project_id and c.id = t.content_id and c.recipients is not null
)
update emails e
set
  contact_id  = null,
  address     = encode(sha256(convert_to(e.project_id || ' ' || e.address, 'UTF8')), 'hex'),
  to_name     = null,
  subject     = null,
  data        = null,
  error       = case
    when e.status in ('PENDING', 'CAPTURED') then 'The contact was deleted'
    else replace(e.error, e.address, '…')
  end,
  status      = case when e.status in ('PENDING', 'CAPTURED') then 'SUPPRESSED' else e.status end,
  captured_at = null
from theirs t
where e.project_id = t.project_id and e.id = t.id;

-- name: part_with_captured :exec
-- The copies that the inbox has of their mails are deleted. Of a project it keeps a few hundred.
delete from captured_mails m
where m.project_id = :project_id
  and (
    lower(m.to_address) in (
      select c.email from contacts c where c.project_id = :project_id and c.id = any(:contact_ids::uuid[])
    )
    or exists (
      select
      from emails e
      where e.project_id = m.project_id and e.id = m.email_id and e.contact_id = any(:contact_ids::uuid[])
    )
  );

-- name: part_with_requests :exec
-- What the log of requests says of them besides that there was one.
update requests r
set
  path     = r.route,
  message  = null,
  errors   = null,
  body     = null,
  mentions = null
where r.project_id = :project_id
  and r.mentions && array(
    select mention_of(c.project_id, c.email)
    from contacts c
    where c.project_id = :project_id and c.id = any(:contact_ids::uuid[])
  );

-- name: hold :many
-- Locks contacts, in the order of `contacts.upsert_many`. Together with `keep_out`, no mail can be added for them from
-- now on.
select id
from contacts
where project_id = :project_id and id = any(:contact_ids::uuid[])
order by email
for update;

-- name: keep_out :exec
-- Waits until no audience snapshot of the project is being taken, and blocks new ones until the commit.
select pg_advisory_xact_lock(emails_of_contacts(:project_id));

-- name: delete_many :many
delete from contacts
where project_id = :project_id and id = any(:contact_ids::uuid[])
returning id;

-- name: receipt :maybe
-- What is known of a contact, before it is deleted: the hash is the one that its mails keep in place of the address.
select
  encode(sha256(convert_to(c.project_id || ' ' || c.email, 'UTF8')), 'hex') as "hash!",
  (select count(*)::int from events e where e.project_id = c.project_id and e.contact_id = c.id) as "events!",
  (select count(*)::int from emails e where e.project_id = c.project_id and e.contact_id = c.id) as "emails!",
  (select count(*)::int from executions e where e.project_id = c.project_id and e.contact_id = c.id) as "executions!",
  (select count(*)::int from segment_members m where m.project_id = c.project_id and m.contact_id = c.id) as "segments!"
from contacts c
where c.project_id = :project_id and c.id = :contact_id;
