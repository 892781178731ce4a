-- name: settle_and_claim :many
-- nullable: outcomes.transport_id, outcomes.subject, outcomes.message_id, outcomes.provider_id, outcomes.mailbox_provider, outcomes.error, outcomes.retry_at, outcomes.event_id, outcomes.event, outcomes.event_data, outcomes.delivery_event_id
-- One pass of a delivering process: writes the outcomes of the mails that it sent, with the events and the retries that
-- follow from them, and takes the next mails, all in one commit. Either half may be empty.
--
-- `outcomes` holds `{project_id, id, status, transport_id, subject, message_id, provider_id, mailbox_provider, error, at, retry_at, was_tried,
-- event_id, event, event_data, delivery_event_id}`. DELIVERED: by the server of the recipient itself, which is an event of its own
-- beside `email.sent`. Without a connection nothing was tried: that does not count as an attempt, and the period in which the
-- mail is retried restarts. A row that was changed in the meantime (by an expired lease, or a notice of the provider)
-- keeps what was written then, unless it is still in doubt: then the outcome of the process that sent it decides. Mails
-- of a campaign that are tried again share one job.
--
-- Every row is looked up by its key, whatever the planner thinks: a plan that was made when the installation was young is
-- kept, and one that reads a table would soon read millions of rows for a dozen. So tables are joined by `lateral` with a
-- limit or a lock, and the lists are asked for ids between the least and the greatest: the planner takes that for few.
--
-- A claim is SENDING, committed, before anything is written to a socket. Not claimed are mails that another process
-- has, mails already sent, mails whose time has not come, and those of a disabled project or a cancelled campaign: the campaign is locked until the
-- commit, so that nothing is claimed after its cancellation. Returns everything that sending needs, except contents
-- that the process says it knows; where nothing was claimed, one row without an id, because Postgres only runs the
-- retries if they are counted.
--
-- `figures` counts the attempts for `delivery_hours`: once, also where a commit has succeeded whose answer was lost, and the
-- outcomes are written again.
with outcome as (
  select *
  from json_to_recordset(:outcomes::json) as r (
    project_id uuid, id uuid, status email_status, transport_id uuid, subject text, message_id text, provider_id text, mailbox_provider text, error text,
    at timestamptz, retry_at timestamptz, was_tried boolean, event_id uuid, event text, event_data jsonb,
    delivery_event_id uuid
  )
  where id between '00000000-0000-0000-0000-000000000000' and 'ffffffff-ffff-ffff-ffff-ffffffffffff'
),
settled as (
  update emails e
  set
    status      = case
      when o.status = 'DELIVERED' then greatest(o.status, reached('SENT', e.opened_at, e.clicked_at))
      else reached(o.status, e.opened_at, e.clicked_at)
    end,
    claimed_by  = case when o.status = 'IN_DOUBT' then e.claimed_by end,
    doubted_at  = case
      when o.status = 'IN_DOUBT' and e.opened_at is null then coalesce(e.doubted_at, o.at)
      else e.doubted_at
    end,
    -- The address of a contact that was deleted meanwhile is gone, and what else was personal.
    subject     = case when strpos(e.address, '@') > 0 then coalesce(o.subject, e.subject) end,
    message_id  = coalesce(o.message_id, e.message_id),
    transport_id = case when o.message_id is null then e.transport_id else o.transport_id end,
    provider_id = coalesce(o.provider_id, e.provider_id),
    mailbox_provider = coalesce(o.mailbox_provider, e.mailbox_provider),
    error       = o.error,
    due_at      = coalesce(o.retry_at, o.at),
    attempts    = e.attempts - (not o.was_tried)::int,
    tried_at    = case when o.was_tried then e.tried_at end,
    data        = case when o.status in ('PENDING', 'IN_DOUBT', 'CAPTURED') then e.data end,
    captured_at = case when o.status = 'CAPTURED' then o.at end,
    sent_at     = case
      when o.status in ('SENT', 'DELIVERED') or o.status = 'IN_DOUBT' and e.opened_at is not null then coalesce(e.sent_at, o.at)
      else e.sent_at
    end,
    delivered_at = case when o.status = 'DELIVERED' then coalesce(e.delivered_at, o.at) else e.delivered_at end,
    bounced_at  = case when o.status = 'BOUNCED' then o.at else e.bounced_at end
  from outcome o
  where e.project_id = o.project_id
    and e.id = o.id
    and e.claimed_by = :worker_id
    and e.status in ('SENDING', 'IN_DOUBT')
  returning
    e.project_id, e.id, e.contact_id, e.campaign_id, e.status, o.at, o.retry_at, o.event_id, o.event, o.event_data,
    o.delivery_event_id
),
recorded as (
  insert into events (project_id, id, contact_id, email_id, name, data, created_at)
  select s.project_id, s.event_id, s.contact_id, s.id, s.event, s.event_data, s.at
  from settled s
  where s.event is not null
  union all
  select
    s.project_id, s.delivery_event_id, s.contact_id, s.id, 'email.delivery',
    (s.event_data - 'sentAt') || jsonb_build_object('deliveredAt', s.event_data -> 'sentAt'), s.at
  from settled s
  where s.delivery_event_id is not null
),
figured as (
  insert into delivery_hour_deltas (
    project_id, hour, sender_domain, provider, transport_id, accepted_times, deferred, bounced, refused, returned, complained,
    encrypted, unencrypted
  )
  select
    f.project_id, f.hour, f.sender_domain, f.provider, f.transport_id, f.accepted_times, f.deferred, f.bounced, f.refused,
    f.returned, f.complained, f.encrypted, f.unencrypted
  from json_to_recordset(:figures::json) as f (
    project_id uuid, hour timestamptz, sender_domain text, provider text, transport_id uuid, accepted_times int[],
    deferred int, bounced int, refused int, returned int, complained int, encrypted int, unencrypted int
  )
  where exists (select from settled)
),
retried as (
  select graphile_worker.add_job(
    'send_emails',
    payload => json_build_object('projectId', s.project_id, 'emailIds', json_build_array(s.id)),
    run_at  => s.retry_at
  )
  from settled s
  where s.status = 'PENDING' and s.campaign_id is null
),
retried_batches as (
  select graphile_worker.add_job(
    'send_batch',
    payload  => json_build_object(
      'projectId', s.project_id,
      'campaignId', s.campaign_id,
      'fromId', (array_agg(s.id order by s.id))[1],
      'toId', (array_agg(s.id order by s.id desc))[1],
      'emailIds', json_agg(s.id)
    ),
    run_at   => max(s.retry_at),
    priority => 10
  )
  from settled s
  where s.status = 'PENDING' and s.campaign_id is not null
  group by s.project_id, s.campaign_id
),
on_their_way as materialized (
  select k.project_id, k.id
  from campaigns k
  where (k.project_id, k.id) in (select * from unnest(:campaign_project_ids::uuid[], :campaign_ids::uuid[]))
    and k.status <> 'CANCELLED'
  order by k.project_id, k.id
  for key share of k
),
claimed as (
  update emails e
  set
    status     = 'SENDING',
    claimed_by = :worker_id,
    attempts   = e.attempts + 1,
    tried_at   = coalesce(e.tried_at, :now),
    due_at     = :now
  from (
    select w.project_id, w.id
    from unnest(:project_ids::uuid[], :ids::uuid[]) as a (project_id, id)
    cross join lateral (
      select m.project_id, m.id
      from emails m
      join projects p on p.id = m.project_id and p.disabled_at is null
      where m.project_id = a.project_id
        and m.id = a.id
        -- As text: the index of all that wait is none for some dozens.
        and m.status::text = 'PENDING'
        -- The clock by which a job was due may be another one.
        and (m.scheduled_for is null or m.scheduled_for <= :now::timestamptz + interval '2 seconds')
        and (m.campaign_id is null or (m.project_id, m.campaign_id) in (select project_id, id from on_their_way))
        and not exists (select from reset_of(m))
      for update of m skip locked
    ) as w
    where a.id between '00000000-0000-0000-0000-000000000000' and 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  ) as free
  where e.project_id = free.project_id and e.id = free.id
  returning
    e.project_id, e.id, e.contact_id, e.content_id, e.address, e.to_name, e.source_type, e.campaign_id, e.attempts,
    e.tried_at, e.data, e.role, e.parent_id, e.resend_of
)
select
  e.project_id as "project_id?",
  e.id as "id?",
  e.contact_id as "contact_id?",
  e.content_id as "content_id?",
  e.address as "address!",
  e.to_name as "to_name?",
  e.source_type as "source_type!",
  e.campaign_id as "campaign_id?",
  e.attempts as "attempts!",
  e.tried_at as "tried_at!",
  e.data as "own_data?",
  e.role as "role?",
  e.parent_id as "parent_id?",
  e.resend_of as "resend_of?",
  case when e.parent_id <> e.id then first_recipient(e.project_id, e.parent_id) end as "first_recipient?",
  c.subscribed as "subscribed?",
  c.opted_out_at as "opted_out_at?",
  c.data as "contact_data?",
  s.reason as "suppressed?",
  o.id is not null as "has_content!",
  o.subject as "subject?",
  o.html as "html?",
  o.text as "text?",
  o.from_email as "from_email?",
  o.from_name as "from_name?",
  o.reply_to as "reply_to?",
  o.headers as "headers?",
  o.data as "request_data?",
  o.template_id as "template_id?",
  o.type as "type?",
  o.tracked as "tracked?",
  o.track_opens as "track_opens?",
  o.track_clicks as "track_clicks?",
  o.offers_unsubscribe as "offers_unsubscribe?",
  o.tags as "tags?",
  o.recipients as "recipients?",
  o.shared as "shared?",
  p.name as "project_name?",
  p.language as "language?",
  p.postal_address as "postal_address?",
  o.id is not null and exists (
    select from attachments a where a.project_id = e.project_id and a.content_id = e.content_id
  ) as "has_attachments!"
from (select count(*) from retried) as retries
cross join (select count(*) from retried_batches) as batch_retries
left join claimed e on true
left join lateral (
  select subscribed, opted_out_at, data from contacts where project_id = e.project_id and id = e.contact_id limit 1
) as c on true
left join lateral (
  select reason from suppressions where project_id = e.project_id and email = e.address limit 1
) as s on true
left join lateral (
  select *
  from contents
  where project_id = e.project_id
    and id = e.content_id
    and emptied_at is null
    and e.content_id <> all (:known_contents::uuid[])
  limit 1
) as o on true
left join projects p on p.id = e.project_id;

-- name: postpone :exec
-- Single mails that wait for a job of theirs, due at `due_at`: so the sweep of overdue mails sees that they have one. The time
-- in which they are retried begins as much later. One that is due at about that time already is left as it is.
update emails e
set due_at = :due_at, tried_at = e.tried_at + (:due_at::timestamptz - e.due_at)
where (e.project_id, e.id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[]))
  and e.campaign_id is null
  and e.status::text = 'PENDING'
  and e.due_at < :due_at::timestamptz - interval '1 minute';

-- name: put_back :many
-- Gives back mails that this process claimed and never began to send, as when it stops.
update emails
set status = 'PENDING', claimed_by = null, attempts = attempts - 1
where (project_id, id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[]))
  and claimed_by = :worker_id
  and status = 'SENDING'
returning project_id, id, campaign_id;

-- name: held_by :many
-- What a process has held since `before`, by the ledger's word.
select project_id, id
from emails
where status = 'SENDING' and claimed_by = :worker_id and due_at < :before;

-- name: orphaned_by :many
-- Processes that have held a mail since `before`, or have fetched it from those that wait apart, and are not in the table of
-- workers.
select distinct h.claimed_by as "worker_id!"
from (
  select claimed_by from emails where status = 'SENDING' and due_at < :before
  union all
  select claimed_by from emails where status = 'PENDING' and claimed_by is not null and due_at < :before
) as h
where not exists (select from workers w where w.id = h.claimed_by);

-- name: settle_dead :many
-- Settles what dead processes had in flight. Of mails that they have marked as ended it is unknown whether they were
-- sent, and the ledger says so. Mails without a mark were not sent, and are sent now; later where a mail has ended
-- several processes, because it may be the cause. The caller holds the marks of these processes
-- (`handover_marks.hold`).
update emails e
set
  status     = case when f.is_over then reached('IN_DOUBT', e.opened_at, e.clicked_at) else 'PENDING' end,
  sent_at    = case when f.is_over then coalesce(e.sent_at, e.opened_at) else e.sent_at end,
  claimed_by = case when f.is_over then e.claimed_by end,
  due_at     = case
    when f.is_over or e.attempts <= :patience::int then :now::timestamptz
    else :now::timestamptz + least(interval '1 hour', interval '15 seconds' * 2 ^ least(e.attempts - 1, 20))
  end,
  doubted_at = case when f.is_over and e.opened_at is null then coalesce(e.doubted_at, :now) else e.doubted_at end,
  error      = case
    when e.opened_at is null then 'The process that was sending this mail ended before it knew the answer'
  end
from (
  select h.project_id, h.id, h.opened_at is not null or may_be_sent(h.claimed_by, h.id) as is_over
  from emails h
  where h.status = 'SENDING' and h.claimed_by = any(:worker_ids::uuid[])
  for update
) as f
where e.project_id = f.project_id and e.id = f.id
returning e.project_id, e.id, e.campaign_id, e.status, e.due_at;

-- name: settle_doubts :many
-- Settles mails that have been in doubt since `before`, as the project has chosen: they are sent again, or stay in
-- doubt permanently. A workflow's mail with a transactional template counts as transactional. Mails of a cancelled
-- campaign are not sent again.
with doubtful as materialized (
  select project_id, id
  from emails
  where status = 'IN_DOUBT' and due_at <= :before
  order by due_at
  limit :limit::int
  for update skip locked
),
judged as (
  select
    e.project_id, e.id,
    (
      e.source_type::text = any(p.resend_in_doubt)
      or e.source_type = 'WORKFLOW' and o.type = 'TRANSACTIONAL' and 'TRANSACTIONAL' = any(p.resend_in_doubt)
    ) and (e.campaign_id is null or k.status in ('SENDING', 'SENT')) as is_resent
  from doubtful d
  join emails e on e.project_id = d.project_id and e.id = d.id
  join projects p on p.id = e.project_id
  left join campaigns k on k.project_id = e.project_id and k.id = e.campaign_id
  left join contents o on o.project_id = e.project_id and o.id = e.content_id
)
update emails e
set
  status     = case when j.is_resent then 'PENDING' else e.status end,
  claimed_by = case when j.is_resent then null else e.claimed_by end,
  due_at     = case when j.is_resent then :now::timestamptz else 'infinity' end
from judged j
where e.project_id = j.project_id and e.id = j.id
returning e.project_id, e.id, e.campaign_id, e.status;

-- name: oldest_jobs :many
-- Since when the oldest single mails of each project have waited whose job is in the queue.
select (j.payload ->> 'projectId')::uuid as "project_id!", min(j.run_at) as "run_at!"
from queued_jobs() as j
where j.task = 'send_emails'
  and j.is_available
  and j.run_at <= :now
group by 1;

-- name: requeue_overdue :many
-- Mails that have been due since `before` and whose job is lost, as after their project was disabled. They get a new
-- job; moving `due_at` keeps everybody from enqueuing them twice. Waiting does not count as an attempt. Jobs of a
-- project run in order, so a mail that was due before the oldest waiting one has no job (`oldest_jobs`; 2 s are allowed
-- for clocks that differ). Also returns when they were due: the next slice begins there. Campaigns look after their
-- own.
with waiting as materialized (
  select *
  from json_to_recordset(:waiting::json) as q (project_id uuid, run_at timestamptz)
),
overdue as materialized (
  select w.project_id, w.id, w.due_at
  from emails w
  join projects p on p.id = w.project_id and p.disabled_at is null
  where w.campaign_id is null
    and w.status = 'PENDING'
    and w.due_at between :since and :before
    and not exists (
      select from waiting q where q.project_id = w.project_id and q.run_at - interval '2 seconds' <= w.due_at
    )
  order by w.due_at
  limit :limit::int
  for update of w skip locked
)
update emails e
set due_at = :now, tried_at = e.tried_at + (:now - e.due_at), claimed_by = null
from overdue o
where e.project_id = o.project_id and e.id = o.id
returning e.project_id, e.id, e.campaign_id, o.due_at as "was_due_at!";
