-- What happened becomes messages, and a delivery for each endpoint that wants it.

-- name: take_notes :many
-- Takes notes that wait, of each project a few, the first ones of all before the second ones of any: however much happens
-- in one project, the others wait for a turn of it. Somebody else takes others.
with recursive having_notes as (
  (select project_id from webhook_notes order by project_id limit 1)
  union all
  select (select n.project_id from webhook_notes n where n.project_id > h.project_id order by n.project_id limit 1)
  from having_notes h
  where h.project_id is not null
),
first_ones as materialized (
  select n.project_id, n.id, n.rows_before, n.number
  from having_notes h
  cross join lateral (
    select
      n.project_id, n.id, row_number() over own as number,
      sum(cardinality(n.ids)) over own - cardinality(n.ids) as rows_before
    from (
      select project_id, id, ids
      from webhook_notes
      where project_id = h.project_id
      order by id
      limit 100
    ) as n
    window own as (order by n.id)
  ) as n
  where h.project_id is not null and n.rows_before < :rows::int
  order by n.number, n.id
  limit 400
),
held as (
  select n.project_id, n.id
  from webhook_notes n
  join first_ones f on f.project_id = n.project_id and f.id = n.id
  order by n.project_id, n.id
  for update of n skip locked
)
delete from webhook_notes n
using held h
where n.project_id = h.project_id and n.id = h.id
returning n.project_id, n.kind, n.ids;

-- name: hold_contacts :many
-- Holds the contacts whom these rows are about, so that nobody deletes them before their messages are written. Returns the rows
-- whose contact somebody else is deleting: nobody waits for that.
with about as materialized (
  select
    n.project_id, n.kind, n.id,
    case when n.kind like 'contact.%' then n.id else coalesce(e.contact_id, x.contact_id) end as contact_id
  from unnest(:project_ids::uuid[], :kinds::text[], :ids::uuid[]) as n (project_id, kind, id)
  left join events e on n.kind = 'event' and e.project_id = n.project_id and e.id = n.id
  left join executions x on n.kind like 'workflow.%' and x.project_id = n.project_id and x.id = n.id
),
held as materialized (
  select c.project_id, c.id
  from contacts c
  where (c.project_id, c.id) in (select project_id, contact_id from about)
  for key share skip locked
)
select a.project_id as "project_id!", a.kind as "kind!", a.id as "id!"
from about a
join contacts c on c.project_id = a.project_id and c.id = a.contact_id
where not exists (select from held h where h.project_id = a.project_id and h.id = a.contact_id);

-- name: put_back :exec
-- Notes these rows once more.
insert into webhook_notes (project_id, kind, ids)
select project_id, kind, array_agg(id order by id)
from unnest(:project_ids::uuid[], :kinds::text[], :ids::uuid[]) as n (project_id, kind, id)
group by project_id, kind;

-- name: add_of_events :exec
-- The events of notes. One that has been deleted since is left out.
with found as materialized (
  select e.project_id, e.id, e.name, e.contact_id, e.email_id, e.data, e.created_at
  from unnest(:project_ids::uuid[], :ids::uuid[]) as n (project_id, id)
  join events e on e.project_id = n.project_id and e.id = n.id
)
insert into webhook_messages (project_id, id, type, event_name, contact_id, body, created_at)
select
  f.project_id, f.id, t.type, f.name, c.id,
  jsonb_build_object(
    'type', t.type,
    'timestamp', webhook_time(f.created_at),
    'data', case
      when t.type = 'event.tracked' then jsonb_build_object('data', f.data)
      else f.data
    end || jsonb_build_object(
      'id', f.id,
      'name', f.name,
      'contact', case when c.id is not null then jsonb_build_object('id', c.id, 'email', c.email) end
    ) || case when f.email_id is null then '{}' else jsonb_build_object('emailId', f.email_id) end
  )::text,
  f.created_at
from found f
cross join lateral (select webhook_type(f.name) as type) as t
left join contacts c on c.project_id = f.project_id and c.id = f.contact_id
on conflict do nothing;

-- name: add_of_contacts :many
-- Contacts that were created or changed, as they are now.
insert into webhook_messages (project_id, id, type, contact_id, body, created_at)
select
  c.project_id, uuid_v7(), n.kind, c.id,
  jsonb_build_object(
    'type', n.kind,
    'timestamp', webhook_time(:now),
    'data', jsonb_build_object(
      'contact', jsonb_build_object(
        'id', c.id, 'email', c.email, 'subscribed', c.subscribed, 'data', c.data,
        'createdAt', webhook_time(c.created_at), 'updatedAt', webhook_time(c.updated_at)
      )
    )
  )::text,
  :now
from unnest(:project_ids::uuid[], :kinds::text[], :ids::uuid[]) as n (project_id, kind, id)
join contacts c on c.project_id = n.project_id and c.id = n.id
returning project_id, id;

-- name: add_of_executions :many
insert into webhook_messages (project_id, id, type, contact_id, body, created_at)
select
  x.project_id, uuid_v7(), n.kind, c.id,
  jsonb_build_object(
    'type', n.kind,
    'timestamp', webhook_time(case when n.kind = 'workflow.started' then x.started_at else x.completed_at end),
    'data', jsonb_build_object(
      'workflow', jsonb_build_object('id', w.id, 'name', w.name),
      'execution', jsonb_build_object(
        'id', x.id, 'status', case when n.kind = 'workflow.started' then 'RUNNING' else x.status::text end,
        'exitReason', case when n.kind <> 'workflow.started' then x.exit_reason end,
        'startedAt', webhook_time(x.started_at)
      ),
      'contact', case when c.id is not null then jsonb_build_object('id', c.id, 'email', c.email) end
    )
  )::text,
  :now
from unnest(:project_ids::uuid[], :kinds::text[], :ids::uuid[]) as n (project_id, kind, id)
join executions x on x.project_id = n.project_id and x.id = n.id
join workflows w on w.project_id = x.project_id and w.id = x.workflow_id
left join contacts c on c.project_id = x.project_id and c.id = x.contact_id
returning project_id, id;

-- name: add_of_campaigns :many
insert into webhook_messages (project_id, id, type, body, created_at)
select
  c.project_id, uuid_v7(), n.kind,
  jsonb_build_object(
    'type', n.kind,
    'timestamp', webhook_time(coalesce(c.finished_at, :now)),
    'data', jsonb_build_object(
      'campaign', jsonb_build_object(
        'id', c.id, 'name', c.name, 'subject', c.subject, 'recipients', c.snapshot_count,
        'startedAt', webhook_time(c.sent_at), 'finishedAt', webhook_time(coalesce(c.finished_at, :now))
      )
    )
  )::text,
  :now
from unnest(:project_ids::uuid[], :kinds::text[], :ids::uuid[]) as n (project_id, kind, id)
join campaigns c on c.project_id = n.project_id and c.id = n.id
returning project_id, id;

-- name: add_of_domains :many
insert into webhook_messages (project_id, id, type, body, created_at)
select
  d.project_id, uuid_v7(), n.kind,
  jsonb_build_object(
    'type', n.kind,
    'timestamp', webhook_time(:now),
    'data', jsonb_build_object(
      'domain', jsonb_build_object(
        'id', d.id, 'domain', d.domain, 'status', case when n.kind = 'domain.failed' then 'FAILED' else 'VERIFIED' end
      )
    )
  )::text,
  :now
from unnest(:project_ids::uuid[], :kinds::text[], :ids::uuid[]) as n (project_id, kind, id)
join domains d on d.project_id = n.project_id and d.id = n.id
returning project_id, id;

-- name: add_of_alerts :many
insert into webhook_messages (project_id, id, type, body, created_at)
select
  a.project_id, uuid_v7(), n.kind,
  jsonb_build_object(
    'type', n.kind,
    'timestamp', webhook_time(case when n.kind = 'deliverability.alert_closed' then a.closed_at else a.opened_at end),
    'data', jsonb_build_object(
      'alert', jsonb_build_object(
        'id', a.id, 'kind', a.kind, 'domain', a.sender_domain, 'provider', nullif(a.provider, ''), 'count', a.count,
        'total', a.total, 'openedAt', webhook_time(a.opened_at),
        'closedAt', case when n.kind = 'deliverability.alert_closed' then webhook_time(a.closed_at) end
      )
    )
  )::text,
  :now
from unnest(:project_ids::uuid[], :kinds::text[], :ids::uuid[]) as n (project_id, kind, id)
join deliverability_alerts a on a.project_id = n.project_id and a.id = n.id
returning project_id, id;

-- name: add_test :exec
insert into webhook_messages (project_id, id, type, body, created_at)
values (:project_id, :id, :type, :body, :now);

-- name: add_deliveries :many
-- A delivery of each message for each endpoint that wants it. Returns the endpoints that may be called now.
with wanted as materialized (
  select m.project_id, w.id as webhook_id, m.id as message_id, m.type, w.retry_at
  from unnest(:project_ids::uuid[], :ids::uuid[]) as n (project_id, id)
  join webhook_messages m on m.project_id = n.project_id and m.id = n.id
  join webhooks w on w.project_id = m.project_id
  where w.enabled and webhook_hears(w.events, w.event_names, m.type, m.event_name)
),
added as (
  insert into webhook_deliveries (project_id, webhook_id, message_id, type, due_at, created_at)
  select project_id, webhook_id, message_id, type, :now::timestamptz, :now
  from wanted
  on conflict do nothing
)
select distinct project_id, webhook_id
from wanted
where retry_at is null or retry_at <= :now;
