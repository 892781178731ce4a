-- name: hold_mails :many
-- Finds the mails that notices are about, and locks them for the rest of the transaction, in the order of their ids, so
-- that two batches never wait for each other crosswise. `names` holds `{n, project_id?, email_id?, provider_id?}`;
-- the answer has a row for each `n` whose mail is known. Left out is what was never sent: a notice about it is about
-- nothing of ours. What was in doubt once may have been sent, whatever became of it afterwards. Contents are looked up
-- one by one, whatever the planner believes about them.
with named as (
  select *
  from json_to_recordset(:names::json) as r (n int, project_id uuid, email_id uuid, provider_id text)
),
meant as (
  select n, project_id, email_id as id
  from named
  where project_id is not null and email_id is not null
  union all
  select n.n, e.project_id, e.id
  from named n
  join emails e on e.provider_id = n.provider_id
  where n.project_id is null or n.email_id is null
),
held as materialized (
  select
    e.project_id, e.id, e.contact_id, e.address, e.content_id, e.source_type, e.campaign_id, e.template_id, e.message_id,
    e.sent_at, e.delivered_at, e.bounced_at, e.complained_at
  from emails e
  where (e.project_id, e.id) in (select project_id, id from meant)
    and (
      e.status not in ('PENDING', 'FAILED', 'SUPPRESSED')
      or e.sent_at is not null
      or e.doubted_at is not null
    )
  order by e.project_id, e.id
  for no key update
)
select
  m.n as "n!", h.project_id, h.id, h.contact_id, h.address, h.source_type, h.campaign_id, h.message_id, h.sent_at,
  h.delivered_at, h.bounced_at, h.complained_at,
  coalesce(h.template_id, o.template_id) as template_id,
  o.subject as "subject?",
  o.from_email as "from_email?",
  o.from_name as "from_name?"
from meant m
join held h on h.project_id = m.project_id and h.id = m.id
left join lateral (
  select c.subject, c.from_email, c.from_name, c.template_id
  from contents c
  where c.project_id = h.project_id and c.id = h.content_id
  limit 1
) as o on true
order by m.n;

-- name: write :exec
-- Writes what became of mails, which the caller holds; the counters of campaigns follow by the trigger of the ledger.
-- `changes` holds, for each mail once, `{project_id, id, sent_at, delivered_at, bounced_at, complained_at, rejected,
-- reason, remark, message_id, provider_id}`.
--
-- The states stand in their type from the weakest to the strongest: of two the stronger one stays, in whatever order
-- they are reported. All of this is only said about mails that have left, so each is SENT at least. Times are set once.
-- The reason is that of the end that a mail came to; a remark stands as long as nothing better is known.
update emails e
set
  status        = greatest(e.status, c.status),
  claimed_by    = null,
  sent_at       = coalesce(e.sent_at, c.sent_at),
  delivered_at  = coalesce(e.delivered_at, c.delivered_at),
  bounced_at    = coalesce(e.bounced_at, c.bounced_at),
  complained_at = coalesce(e.complained_at, c.complained_at),
  message_id    = coalesce(e.message_id, c.message_id),
  provider_id   = coalesce(e.provider_id, c.provider_id),
  error         = coalesce(
    case when e.bounced_at is not null or e.status in ('FAILED', 'SUPPRESSED') then e.error end,
    c.reason,
    case
      when greatest(e.status, c.status) = 'SENT' then coalesce(c.remark, case when e.status = 'SENT' then e.error end)
    end
  )
from (
  select
    r.*,
    case
      when r.rejected then 'FAILED'
      when r.complained_at is not null then 'COMPLAINED'
      when r.bounced_at is not null then 'BOUNCED'
      when r.delivered_at is not null then 'DELIVERED'
      else 'SENT'
    end::email_status as status
  from json_to_recordset(:changes::json) as r (
    project_id uuid, id uuid, sent_at timestamptz, delivered_at timestamptz, bounced_at timestamptz,
    complained_at timestamptz, rejected boolean, reason text, remark text, message_id text, provider_id text
  )
) as c
where e.project_id = c.project_id and e.id = c.id;
