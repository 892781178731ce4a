-- name: insert_many :many
-- nullable: rows.contact_id, rows.to_name, rows.template_id, rows.resend_of, rows.data
-- Adds the mails of one or several requests to the ledger, and returns those that are to be sent: a mail to a suppressed
-- address is closed at once. `rows` holds `{id, contact_id, address, to_name?, content_id, template_id?, resend_of?,
-- data?}`. The caller has just written or locked the contacts, so none of them can be deleted in the meantime. The
-- suppression list is looked up address by address, whatever the planner estimates about its size. They count against this
-- month's limit: all of them, or nothing is done.
with taken as materialized (
  select take_usage(:project_id, 'transactional', :now, json_array_length(:rows::json), true) as mails
),
given as (
  select
    r.id, r.contact_id, r.address, r.to_name, r.content_id, r.template_id, r.resend_of, r.data,
    (
      select s.reason
      from suppressions s
      where s.project_id = :project_id and s.email = r.address
    ) as suppressed
  from taken
  cross join json_to_recordset(:rows::json) as r (
    id uuid, contact_id uuid, address text, to_name text, content_id uuid, template_id uuid, resend_of uuid, data jsonb
  )
),
added as (
  insert into emails (
    project_id, id, contact_id, address, to_name, content_id, source_type, template_id, resend_of, data, status, error,
    due_at, queued_at
  )
  select
    :project_id, id, contact_id, address, to_name, content_id, 'TRANSACTIONAL', template_id, resend_of,
    case when suppressed is null then data end,
    case when suppressed is null then 'PENDING' else 'SUPPRESSED' end::email_status,
    'The address is on the suppression list (' || suppressed || ')',
    :now, :now
  from given
  returning project_id, id, status
)
select project_id, id
from added
where status = 'PENDING'
order by id;

-- name: settle_and_claim :many
-- nullable: outcomes.message_id, outcomes.provider_id, outcomes.error, outcomes.retry_at, outcomes.event_id, outcomes.event, outcomes.event_data
-- One pass of a delivering process: writes the outcomes of the mails that it sent, with the events and the retries that
-- follow from them, and takes the next mails, all in one commit. Either half may be empty.
--
-- `outcomes` holds `{project_id, id, status, message_id, provider_id, error, at, retry_at, was_tried, event_id, event,
-- event_data}`. Without a connection nothing was tried: that does not count as an attempt, and the period in which the
-- mail is retried restarts. A row that was changed in the meantime (by an expired lease, or a notice of the provider)
-- keeps what was written then, unless it is still in doubt: then the outcome of the process that sent it decides. Mails
-- of a campaign that are tried again share one job.
--
-- Every row is looked up by its key, whatever the planner thinks: a plan that was made when the installation was young is
-- kept, and one that reads a table would soon read millions of rows for a dozen. So tables are joined by `lateral` with a
-- limit or a lock, and the lists are asked for ids between the least and the greatest: the planner takes that for few.
--
-- A claim is SENDING, committed, before anything is written to a socket. Not claimed are mails that another process
-- has, mails already sent, and those of a disabled project or a cancelled campaign: the campaign is locked until the
-- commit, so that nothing is claimed after its cancellation. Returns everything that sending needs, except contents
-- that the process says it knows; where nothing was claimed, one row without an id, because Postgres only runs the
-- retries if they are counted.
with outcome as (
  select *
  from json_to_recordset(:outcomes::json) as r (
    project_id uuid, id uuid, status email_status, message_id text, provider_id text, error text, at timestamptz,
    retry_at timestamptz, was_tried boolean, event_id uuid, event text, event_data jsonb
  )
  where id between '00000000-0000-0000-0000-000000000000' and 'ffffffff-ffff-ffff-ffff-ffffffffffff'
),
settled as (
  update emails e
  set
    status      = reached(o.status, e.opened_at, e.clicked_at),
    claimed_by  = case when o.status = 'IN_DOUBT' then e.claimed_by end,
    doubted_at  = case
      when o.status = 'IN_DOUBT' and e.opened_at is null then coalesce(e.doubted_at, o.at)
      else e.doubted_at
    end,
    message_id  = coalesce(o.message_id, e.message_id),
    provider_id = coalesce(o.provider_id, e.provider_id),
    error       = o.error,
    due_at      = coalesce(o.retry_at, o.at),
    attempts    = e.attempts - (not o.was_tried)::int,
    tried_at    = case when o.was_tried then e.tried_at end,
    data        = case when o.status in ('PENDING', 'IN_DOUBT', 'CAPTURED') then e.data end,
    captured_at = case when o.status = 'CAPTURED' then o.at end,
    sent_at     = case
      when o.status = 'SENT' or o.status = 'IN_DOUBT' and e.opened_at is not null then coalesce(e.sent_at, o.at)
      else e.sent_at
    end,
    bounced_at  = case when o.status = 'BOUNCED' then o.at else e.bounced_at end
  from outcome o
  where e.project_id = o.project_id
    and e.id = o.id
    and e.claimed_by = :worker_id
    and e.status in ('SENDING', 'IN_DOUBT')
  returning
    e.project_id, e.id, e.contact_id, e.campaign_id, e.status, o.at, o.retry_at, o.event_id, o.event, o.event_data
),
recorded as (
  insert into events (project_id, id, contact_id, email_id, name, data, created_at)
  select s.project_id, s.event_id, s.contact_id, s.id, s.event, s.event_data, s.at
  from settled s
  where s.event is not null
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
      'toId', (array_agg(s.id order by s.id desc))[1]
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
        and (m.campaign_id is null or (m.project_id, m.campaign_id) in (select project_id, id from on_their_way))
        and not exists (select from reset_of(m))
      for update of m skip locked
    ) as w
    where a.id between '00000000-0000-0000-0000-000000000000' and 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  ) as free
  where e.project_id = free.project_id and e.id = free.id
  returning
    e.project_id, e.id, e.contact_id, e.content_id, e.address, e.to_name, e.source_type, e.campaign_id, e.attempts,
    e.tried_at, e.data
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

-- name: recipients :many
-- The recipient domains of those of these mails that are still to be sent, but for those that wait apart: they come back by
-- themselves. By their keys, as in `settle_and_claim`.
select a.project_id as "project_id!", a.id as "id!", recipient_domain(m.address) as "domain!"
from unnest(:project_ids::uuid[], :ids::uuid[]) as a (project_id, id)
cross join lateral (
  select e.address
  from emails e
  where e.project_id = a.project_id and e.id = a.id and e.status::text = 'PENDING' and e.due_at < 'infinity'
  limit 1
) as m;

-- name: set_apart :exec
-- Mails whose domain has no capacity wait apart, without a job, until `come_back` fetches them. For a domain that
-- accepts no mail, one of `failing`, this starts the day in which the mail is retried.
update emails e
set
  due_at   = 'infinity',
  tried_at = case
    when recipient_domain(e.address) = any(:failing::text[]) then coalesce(e.tried_at, :now)
    else e.tried_at
  end
where (e.project_id, e.id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[])) and e.status::text = 'PENDING';

-- name: come_back :many
-- Fetches mails that wait apart, up to `counts` for each of these domains: single mails first, then those that were
-- tried first (a greylisting server must see the same mail again), then the oldest; and `lasts` from the other end, so
-- that it is not always the same mails that try a domain.
with asked as materialized (
  select * from unnest(:domains::text[], :counts::int[], :lasts::int[]) as d (domain, first, last)
),
firsts as materialized (
  select w.project_id, w.id
  from asked d
  cross join lateral (
    select e.project_id, e.id
    from emails e
    where e.status = 'PENDING' and e.due_at = 'infinity' and recipient_domain(e.address) = d.domain
    order by e.campaign_id is not null, e.tried_at, e.id
    limit d.first
    for update skip locked
  ) as w
),
lasts as materialized (
  select w.project_id, w.id
  from asked d
  cross join lateral (
    select e.project_id, e.id
    from emails e
    where e.status = 'PENDING' and e.due_at = 'infinity' and recipient_domain(e.address) = d.domain
    order by e.campaign_id is not null desc, e.tried_at desc, e.id desc
    limit d.last
    for update skip locked
  ) as w
)
update emails e
set due_at = :now
from (select project_id, id from firsts union select project_id, id from lasts) as c
where e.project_id = c.project_id and e.id = c.id and e.status = 'PENDING' and e.due_at = 'infinity'
returning e.project_id, e.id, e.campaign_id, recipient_domain(e.address) as "domain!";

-- name: apart_domains :many
-- Domains behind this one for which mails wait apart, in order; each costs one look into the index.
with recursive found as (
  (
    select recipient_domain(e.address) as domain
    from emails e
    where e.status = 'PENDING' and e.due_at = 'infinity' and recipient_domain(e.address) > :after
    order by recipient_domain(e.address)
    limit 1
  )
  union all
  select (
    select recipient_domain(e.address)
    from emails e
    where e.status = 'PENDING' and e.due_at = 'infinity' and recipient_domain(e.address) > f.domain
    order by recipient_domain(e.address)
    limit 1
  )
  from found f
  where f.domain is not null
)
select domain as "domain!" from found where domain is not null limit :limit::int;

-- name: give_up_apart :exec
-- Ends mails that have waited apart since `before` for a domain that accepts no mail.
with old as materialized (
  select e.project_id, e.id
  from emails e
  where e.status = 'PENDING'
    and e.due_at = 'infinity'
    and recipient_domain(e.address) = :domain
    and e.tried_at < :before
  limit :limit::int
  for update skip locked
)
update emails e
set status = 'FAILED', due_at = :now, error = :error, data = null
from old o
where e.project_id = o.project_id and e.id = o.id and e.status = 'PENDING' and e.due_at = 'infinity';

-- name: put_back :many
-- Gives back mails that this process claimed and never began to send, as when it stops.
update emails
set status = 'PENDING', claimed_by = null, attempts = attempts - 1
where (project_id, id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[]))
  and claimed_by = :worker_id
  and status = 'SENDING'
returning project_id, id, campaign_id;

-- name: orphaned_by :many
-- Processes that have held a mail since `before` and are not in the table of workers.
select distinct e.claimed_by as "worker_id!"
from emails e
where e.status = 'SENDING'
  and e.due_at < :before
  and not exists (select from workers w where w.id = e.claimed_by);

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
set due_at = :now, tried_at = e.tried_at + (:now - e.due_at)
from overdue o
where e.project_id = o.project_id and e.id = o.id
returning e.project_id, e.id, e.campaign_id, o.due_at as "was_due_at!";

-- name: by_id :maybe
-- With what it said.
select
  e.id, e.contact_id,
  case when e.contact_id is not null or strpos(e.address, '@') > 0 then e.address end as "to",
  e.to_name, c.subject as "subject?", c.from_email as "from?", c.from_name as "from_name?", c.type as "type?",
  e.template_id, e.campaign_id, e.workflow_id, e.step_id, e.workflow_execution_id,
  e.source_type, e.status, e.message_id, e.attempts, e.error, e.queued_at,
  e.captured_at, e.sent_at, e.delivered_at, e.opened_at, e.clicked_at, e.bounced_at, e.complained_at, e.unsubscribed_at,
  e.opens, e.clicks, e.provider_id, e.resend_of, e.doubted_at,
  case when e.status = 'PENDING' and e.due_at < 'infinity' then e.due_at end as next_attempt_at
from emails e
left join contents c on c.project_id = e.project_id and c.id = e.content_id
where e.project_id = :project_id and e.id = :email_id;

-- name: list :many
-- splice: filter = true
-- splice: after = true
-- splice: direction = e.id desc
-- One page of mails, after the place where the cursor stands. The filter is one of a closed set.
select
  e.id, e.contact_id,
  case when e.contact_id is not null or strpos(e.address, '@') > 0 then e.address end as "to",
  e.to_name, c.subject as "subject?", c.from_email as "from?", c.from_name as "from_name?", c.type as "type?",
  e.template_id, e.campaign_id, e.workflow_id, e.step_id, e.workflow_execution_id,
  e.source_type, e.status, e.message_id, e.attempts, e.error, e.queued_at,
  e.captured_at, e.sent_at, e.delivered_at, e.opened_at, e.clicked_at, e.bounced_at, e.complained_at, e.unsubscribed_at,
  e.opens, e.clicks, e.provider_id, e.resend_of, e.doubted_at,
  case when e.status = 'PENDING' and e.due_at < 'infinity' then e.due_at end as next_attempt_at
from emails e
left join contents c on c.project_id = e.project_id and c.id = e.content_id
where e.project_id = :project_id
  and :after
  and :filter
order by :direction
limit :limit::int;

-- name: found_contacts :many
-- The contacts whose address contains a text, up to `limit`.
select id
from contacts
where project_id = :project_id and email like :pattern
limit :limit::int;

-- name: found_contents :many
-- The contents whose subject contains a text, up to `limit`.
select id
from contents
where project_id = :project_id and subject ilike :pattern
limit :limit::int;

-- name: found_campaigns :many
-- The campaigns that have been sent and whose subject contains a text, up to `limit`.
select id
from campaigns
where project_id = :project_id and content_id is not null and subject ilike :pattern
order by id desc
limit :limit::int;

-- name: find :many
-- One page of mails to these contacts, with these contents or of these campaigns, between two ids, newest first. Each
-- of them gives a page by its index.
with found as (
  select m.id
  from unnest(:contact_ids::uuid[]) as c (id)
  cross join lateral (
    select e.id
    from emails e
    where e.project_id = :project_id and e.contact_id = c.id and e.id > :after and e.id < :before
    order by e.id desc
    limit :limit::int
  ) as m
  union
  select m.id
  from unnest(:content_ids::uuid[]) as c (id)
  cross join lateral (
    select e.id
    from emails e
    where e.project_id = :project_id
      and e.content_id = c.id
      and e.campaign_id is null
      and e.id > :after
      and e.id < :before
    order by e.id desc
    limit :limit
  ) as m
  union
  select m.id
  from unnest(:campaign_ids::uuid[]) as c (id)
  cross join lateral (
    select e.id
    from emails e
    where e.project_id = :project_id and e.campaign_id = c.id and e.id > :after and e.id < :before
    order by e.id desc
    limit :limit
  ) as m
),
newest as (
  select id
  from found
  order by id desc
  limit :limit
)
select
  e.id, e.contact_id,
  case when e.contact_id is not null or strpos(e.address, '@') > 0 then e.address end as "to",
  e.to_name, c.subject as "subject?", c.from_email as "from?", c.from_name as "from_name?", c.type as "type?",
  e.template_id, e.campaign_id, e.workflow_id, e.step_id, e.workflow_execution_id,
  e.source_type, e.status, e.message_id, e.attempts, e.error, e.queued_at,
  e.captured_at, e.sent_at, e.delivered_at, e.opened_at, e.clicked_at, e.bounced_at, e.complained_at, e.unsubscribed_at,
  e.opens, e.clicks, e.provider_id, e.resend_of, e.doubted_at,
  case when e.status = 'PENDING' and e.due_at < 'infinity' then e.due_at end as next_attempt_at
from newest n
join emails e on e.project_id = :project_id and e.id = n.id
left join contents c on c.project_id = e.project_id and c.id = e.content_id
order by e.id desc;

-- name: content :maybe
-- What a mail said, while its body is kept, and its contact as they are now.
select
  e.id, e.address, e.to_name, e.source_type, e.campaign_id, e.template_id, e.contact_id,
  coalesce(e.data, workflow_mail_data(e)) as own_data,
  o.id as "content_id?", o.subject as "subject?", o.html as "html?", o.text as "text?", o.from_email as "from_email?",
  o.from_name as "from_name?", o.reply_to as "reply_to?", o.headers as "headers?", o.data as "request_data?",
  o.type as "type?", o.emptied_at as "emptied_at?", c.subscribed as "subscribed?", c.data as "contact_data?",
  p.name as "project_name!", p.language as "language!", p.postal_address
from emails e
join projects p on p.id = e.project_id
left join contents o on o.project_id = e.project_id and o.id = e.content_id
left join contacts c on c.project_id = e.project_id and c.id = e.contact_id
where e.project_id = :project_id and e.id = :email_id;

-- name: to_resend :maybe
-- A mail that will be sent again, with what decides whether it may. `to` is the address that its contact has now; null
-- once the contact has been deleted. The contact is locked: it stays until the commit.
with original as materialized (
  select
    e.contact_id, e.address, e.to_name, e.status, e.source_type, e.content_id, e.template_id, e.workflow_execution_id,
    coalesce(e.data, workflow_mail_data(e)) as data
  from emails e
  where e.project_id = :project_id and e.id = :email_id and not exists (select from reset_of(e))
),
held as materialized (
  select c.id, c.email, c.subscribed
  from contacts c
  where c.project_id = :project_id and c.id = (select contact_id from original)
  for key share
)
select
  e.contact_id,
  case
    when e.contact_id is not null then h.email
    when strpos(e.address, '@') > 0 then e.address
  end as "to?",
  e.to_name, e.status as "status!", e.source_type as "source_type!", e.template_id, e.data,
  e.workflow_execution_id is not null and e.data is null as "is_data_gone!",
  h.subscribed as "subscribed?", o.id as "content_id?", o.type as "type?", o.from_email as "from_email?"
from original e
left join held h on true
left join contents o on o.project_id = :project_id and o.id = e.content_id and o.emptied_at is null;

-- name: attachments :many
-- The attachments of a content, without their bytes.
select filename, content_type, disposition, octet_length(content) as "size!"
from attachments
where project_id = :project_id and content_id = :content_id
order by position;

-- name: attachment :maybe
-- One file of a mail, by its place among them, from 0, while it is kept.
select a.filename, a.content
from emails e
join attachments a on a.project_id = e.project_id and a.content_id = e.content_id
where e.project_id = :project_id and e.id = :email_id
order by a.position
offset :index::int
limit 1;

-- name: timeline :many
-- nullable: contact_id
-- What happened to a mail, oldest first: what its own row says, and its events. They are found among those of its
-- contact, or without one, by their names, and no longer after it than anybody opens a mail. In two parts: "is not distinct
-- from" uses no index.
select l.id as "id!", l.name as "name!", l.data as "data!", l.bot as "bot!", l.created_at as "created_at!"
from (
  (
    select v.id, v.name, v.data, v.bot, v.created_at
    from events v
    where v.project_id = :project_id
      and v.contact_id = :contact_id::uuid
      and v.name = any(:names::text[])
      and v.id >= :since
      and v.email_id = :email_id
    order by v.id
    limit :limit::int
  )
  union all
  (
    select v.id, v.name, v.data, v.bot, v.created_at
    from events v
    where v.project_id = :project_id
      and :contact_id::uuid is null
      and v.contact_id is null
      and v.name = any(:names::text[])
      and v.id >= :since
      and v.email_id = :email_id
    order by v.id
    limit :limit::int
  )
  union all
  select md5(e.id::text || fact.name)::uuid, fact.name, '{}'::jsonb, false, fact.at
  from emails e
  cross join lateral (
    values ('email.queued', e.queued_at), ('email.captured', e.captured_at), ('email.released', e.released_at)
  ) as fact (name, at)
  where e.project_id = :project_id and e.id = :email_id and fact.at is not null
  union all
  (
    select r.id, 'email.resent', jsonb_build_object('emailId', r.id), false, r.queued_at
    from emails r
    where r.project_id = :project_id and r.resend_of = :email_id
    order by r.id
    limit :limit
  )
) as l
order by l.created_at, l.id
limit :limit::int;

-- name: count :one
-- splice: filter = true
-- How many mails match the filter, counted up to `up_to`.
select count(*)::int as "total!"
from (
  select
  from emails e
  where e.project_id = :project_id and :filter
  limit :up_to::int
) as counted;

-- name: held_by :many
-- What a process has held since `before`, by the ledger's word.
select project_id, id
from emails
where status = 'SENDING' and claimed_by = :worker_id and due_at < :before;

-- name: hold :exec
-- Locks one mail for the rest of the transaction. A transaction that changes a mail and its contact locks the mail
-- first.
select
from emails
where project_id = :project_id and id = :email_id
for no key update;

-- name: unsubscribed :exec
-- Notes on a mail that its recipient unsubscribed through a link of it; the campaign's counter follows.
update emails
set unsubscribed_at = :now
where project_id = :project_id and id = :email_id and contact_id = :contact_id and unsubscribed_at is null;
