-- name: keep_contacts :exec
-- Until the commit no contact of the project is deleted: so no mail is made for one that is gone. A lock of each contact
-- would be written into a million rows.
select pg_advisory_xact_lock_shared(emails_of_contacts(:project_id));

-- name: hold_for_snapshot :maybe
-- The campaign while a snapshot of its audience is taken; null when that is done, or the campaign was cancelled.
select id, type, audience, content_id as "content_id!", snapshot_up_to, sent_at as "sent_at!"
from campaigns
where project_id = :project_id and id = :campaign_id and status = 'SENDING' and snapshot_at is null
for no key update;

-- name: snapshot_range :one
-- nullable: after_id
-- splice: audience = true
-- Turns the next contacts of the audience into mails, in the order of their ids, moves the cursor past them and adds
-- the jobs that send them, all in one commit: each range is taken exactly once, and the next call continues after it.
-- Contacts created after the campaign was sent are not included. The first batches of every campaign are sent before
-- the later ones of any: a large campaign does not delay small ones. Mails beyond this month's limit are FAILED from
-- the start.
with chosen as materialized (
  select c.id, c.email
  from contacts c
  where c.project_id = :project_id
    and (:after_id::uuid is null or c.id > :after_id)
    and c.created_at <= :sent_at
    and c.id > (select contacts_reset_up_to(:project_id))
    and :audience
  order by c.id
  limit :limit::int
),
sized as materialized (
  select count(*)::int as mails, (array_agg(id order by id desc))[1] as last_id from chosen
),
taken as materialized (
  select s.mails, s.last_id, take_usage(:project_id, 'campaigns', :now, s.mails, false) as allowed
  from sized s
),
first_over as materialized (
  select case when t.allowed < t.mails then (select id from chosen order by id offset t.allowed limit 1) end as id
  from taken t
),
added as (
  insert into emails (
    project_id, contact_id, address, content_id, source_type, campaign_id, status, error, due_at, queued_at
  )
  select
    :project_id, id, email, :content_id, 'CAMPAIGN', :campaign_id,
    case when id >= (select id from first_over) then 'FAILED' else 'PENDING' end::email_status,
    case when id >= (select id from first_over) then :over_limit end,
    :now, :now
  from chosen
  order by id
  returning id, status
),
counted as (
  insert into campaign_count_deltas (
    project_id, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed, failed,
    processed
  )
  select :project_id, :campaign_id, 0, 0, 0, 0, 0, 0, 0, mails - allowed, mails - allowed
  from taken
  where allowed < mails
),
due as materialized (
  select array_agg(id order by id) as ids from added where status = 'PENDING'
),
batches as (
  select n as batch, ids[n * :batch_size + 1] as from_id, ids[least((n + 1) * :batch_size, cardinality(ids))] as to_id
  from due, generate_series(0, (cardinality(ids) - 1) / :batch_size::int) as n
),
advanced as (
  update campaigns
  set
    snapshot_up_to   = t.last_id,
    snapshot_count   = snapshot_count + t.mails,
    over_limit_count = over_limit_count + t.mails - t.allowed
  from taken t
  where project_id = :project_id and id = :campaign_id and t.mails > 0
  returning snapshot_count - t.mails as snapshot_before
),
enqueued as (
  select graphile_worker.add_jobs(array_agg(
    row(
      'send_batch',
      json_build_object(
        'projectId', :project_id::uuid, 'campaignId', :campaign_id::uuid, 'fromId', from_id, 'toId', to_id,
        'priority', priority
      ),
      null, null, null, null, priority, null
    )::graphile_worker.job_spec
  ))
  from (
    select
      from_id, to_id,
      least(32000, 10 + batch + a.snapshot_before / :batch_size::int) as priority
    from batches
    cross join advanced a
  ) as ranked
  having count(*) > 0
)
select mails as "added!", (select count(*) from enqueued)::int as "enqueued!" from taken;

-- name: end_snapshot :maybe
-- The whole audience is in the ledger.
update campaigns
set snapshot_at = :now, total_recipients = snapshot_count, updated_at = :now
where project_id = :project_id and id = :campaign_id and status = 'SENDING' and snapshot_at is null
returning name, snapshot_count, over_limit_count;

-- name: analyze :exec
-- After so many new rows the planner would use outdated statistics.
analyze (skip_locked) emails;

-- name: batch :many
-- The mails of one batch that wait to be sent. By their ids and nothing else: before the next ANALYZE the planner would
-- rather walk through all pending ones. Some seconds ahead of their time, because the queue goes by another clock.
with range as materialized (
  select id, campaign_id, status, due_at, recipient_domain(address) as domain
  from emails
  where project_id = :project_id and id between :from_id and :to_id
)
select id, domain as "domain!"
from range
where campaign_id = :campaign_id and status = 'PENDING' and due_at <= :now::timestamptz + interval '5 seconds'
order by id
limit :limit::int;

-- name: named :many
-- Those of these mails of a campaign that wait to be sent, as in `batch`, each by its key.
select a.id as "id!", m.domain as "domain!"
from unnest(:ids::uuid[]) as a (id)
cross join lateral (
  select recipient_domain(e.address) as domain
  from emails e
  where e.project_id = :project_id
    and e.id = a.id
    and e.campaign_id = :campaign_id
    and e.status::text = 'PENDING'
    and e.due_at <= :now::timestamptz + interval '5 seconds'
  limit 1
) as m
order by a.id
limit :limit::int;

-- name: sendable :maybe
-- Whether mails of a campaign may still be sent; null when it is gone.
select status <> 'CANCELLED' as "sendable!"
from campaigns
where project_id = :project_id and id = :campaign_id;

-- name: seems_over :maybe
-- Whether nothing of a campaign waits to be sent. What `finish` holds it for, and asks again, is left to that.
select true as "over!"
from campaigns c
where c.project_id = :project_id
  and c.id = :campaign_id
  and c.finished_at is null
  and (c.status = 'SENDING' and c.snapshot_at is not null or c.status = 'CANCELLED')
  and (
    select e.id
    from emails e
    where e.campaign_id = :campaign_id and e.status = 'PENDING'
    order by e.due_at desc
    limit 1
  ) is null;

-- name: hold :exec
-- Until the commit these campaigns neither come to their end nor are cancelled.
select
from campaigns
where (project_id, id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[]))
order by project_id, id
for no key update;

-- name: finish :exec
-- A campaign whose snapshot is complete and of whose mails none is open is SENT; a cancelled one is done. Open mails are
-- looked for from the newest: behind them there is nothing but rows that have been sent. What is in doubt is open where
-- the project wants it sent again. The caller holds it: a statement that waited here would go by the mails of before.
update campaigns c
set
  status      = case when c.status = 'SENDING' then 'SENT' else c.status end,
  finished_at = :now,
  updated_at  = :now
where c.project_id = :project_id
  and c.id = :campaign_id
  and c.finished_at is null
  and (c.status = 'SENDING' and c.snapshot_at is not null or c.status = 'CANCELLED')
  and (
    select e.id
    from emails e
    where e.campaign_id = :campaign_id and e.status = 'PENDING'
    order by e.due_at desc
    limit 1
  ) is null
  and not exists (
    select from emails e where e.project_id = :project_id and e.campaign_id = :campaign_id and e.status = 'SENDING'
  )
  and not exists (
    select
    from emails e
    join projects p on p.id = e.project_id and 'CAMPAIGN' = any(p.resend_in_doubt)
    where e.project_id = :project_id
      and e.campaign_id = :campaign_id
      and e.status = 'IN_DOUBT'
      and e.due_at < 'infinity'
      and c.status = 'SENDING'
  );

-- name: suppress :exec
-- Closes the mails of a cancelled or deleted campaign that have not been handed over. Mails being sent now
-- are left alone, and so are those that are about to be deleted anyway.
with open as materialized (
  select e.project_id, e.id
  from emails e
  where e.campaign_id = :campaign_id
    and e.status = 'PENDING'
    and e.project_id = :project_id
    and not exists (
      select
      from campaigns c
      where c.project_id = e.project_id and c.id = e.campaign_id and c.status <> 'CANCELLED'
    )
    and not exists (select from reset_of(e))
    and not exists (
      select from projects p where p.id = e.project_id and p.deleted_at is not null
    )
  order by e.due_at desc
  limit :limit::int
  for update
)
update emails e
set status = 'SUPPRESSED', error = 'The campaign was cancelled'
from open o
where e.project_id = o.project_id and e.id = o.id and e.status = 'PENDING';

-- name: unfinished :many
-- Campaigns on their way, or whose time has come, whose project may send; and whether a job of theirs exists that will
-- still be tried: without one they are stalled.
select
  c.project_id, c.id, c.status, c.snapshot_at is not null as "has_snapshot!",
  exists (
    select
    from queued_jobs() as j
    where j.payload ->> 'campaignId' = c.id::text and j.attempts < j.max_attempts
  ) as "has_jobs!"
from campaigns c
join projects p on p.id = c.project_id and p.disabled_at is null
where c.status in ('SCHEDULED', 'SENDING', 'CANCELLED')
  and c.finished_at is null
  and (c.status <> 'SCHEDULED' or c.scheduled_for < :now)
order by c.scheduled_for, c.id;

-- name: forgive :one
-- While the mail server accepted no connections, waiting did not count as an attempt: the next due mails become due
-- again. Calling it again, from another process too, counts nothing twice. Returns the last mail that it checked.
with due as materialized (
  select project_id, id, campaign_id, due_at
  from emails
  where (campaign_id, due_at) > (:after_campaign_id::uuid, :after::timestamptz)
    and status = 'PENDING'
    and due_at <= :before
    and tried_at is not null
  order by campaign_id, due_at
  limit :limit::int
  for update skip locked
),
forgiven as (
  update emails e
  set tried_at = e.tried_at + (:now::timestamptz - e.due_at), due_at = :now
  from due d
  where e.project_id = d.project_id and e.id = d.id
)
select count(*)::int as "mails!", (array_agg(campaign_id order by campaign_id desc, due_at desc))[1] as "campaign_id?",
  (array_agg(due_at order by campaign_id desc, due_at desc))[1] as "due_at?"
from due;

-- name: left :maybe
-- The first of these mails that can still be sent now: somebody else held it when the others were taken.
select e.id as "id!"
from emails e
join campaigns c on c.project_id = e.project_id and c.id = e.campaign_id and c.status <> 'CANCELLED'
join projects p on p.id = e.project_id and p.disabled_at is null
where e.project_id = :project_id and e.id = any(:ids::uuid[]) and e.status = 'PENDING' and e.due_at <= :now
order by e.id
limit 1;

-- name: requeue :one
-- Gives jobs to due mails that have none, batch by batch, oldest first. The period in which they are retried
-- restarts, as in `delivery.requeue_overdue`. It uses lists instead of joins: without statistics, as in a new database, a
-- join would compare every mail with every other.
with due as materialized (
  select id, tried_at
  from emails
  where campaign_id = :campaign_id and status = 'PENDING' and due_at <= :now and project_id = :project_id
  order by due_at
  limit :limit::int
),
held as (
  select w.id
  from emails w
  where w.project_id = :project_id
    and w.id = any(array(select id from due where tried_at is not null))
    and w.status = 'PENDING'
  for update of w skip locked
),
renewed as (
  update emails e
  set tried_at = null
  where e.project_id = :project_id and e.id = any(array(select id from held))
),
numbered as (
  select id, (row_number() over (order by id) - 1) / :batch_size::int as batch
  from due
),
batches as (
  select batch, (array_agg(id order by id))[1] as from_id, (array_agg(id order by id desc))[1] as to_id
  from numbered
  group by batch
),
enqueued as (
  select graphile_worker.add_jobs(array_agg(
    row(
      'send_batch',
      json_build_object(
        'projectId', :project_id::uuid, 'campaignId', :campaign_id::uuid, 'fromId', from_id, 'toId', to_id
      ),
      null, null, null, null, least(32000, 10 + batch), null
    )::graphile_worker.job_spec
  ))
  from batches
  having count(*) > 0
)
select count(*)::int as "enqueued!" from enqueued;
