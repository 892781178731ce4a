-- name: hold_mails :many
-- nullable: names.project_id, names.email_id, names.provider_id, names.within
-- Finds the mails that notices are about, and locks them for the rest of the transaction, in the order of their ids, so
-- that two batches never deadlock. `names` holds `{n, project_id?, email_id?, provider_id?, within?}`; the result has a row for
-- each `n` whose mail is known. `within` is the only project whose mails the notice may be about. The provider's id counts where our own ids are missing or unknown: a header may be
-- forged, but not the reply that the provider gave us. Mails that were never sent are left out: a notice about them is
-- not about ours. Mails that were in doubt once may have been sent, whatever happened later. All are looked up one by
-- one, whatever the planner estimates.
with named as (
  select *
  from json_to_recordset(:names::json) as r (n int, project_id uuid, email_id uuid, provider_id text, within uuid)
),
looked_up as materialized (
  select n.*, k.id is not null as is_known
  from named n
  left join lateral (
    select e.id
    from emails e
    where e.project_id = n.project_id and e.id = n.email_id and (n.within is null or e.project_id = n.within)
    limit 1
  ) as k on true
),
meant as (
  select n, project_id, email_id as id
  from looked_up
  where is_known
  union all
  select l.n, e.project_id, e.id
  from looked_up l
  cross join lateral (
    select e.project_id, e.id
    from emails e
    where e.provider_id = l.provider_id and (l.within is null or e.project_id = l.within)
    offset 0
  ) as e
  where not l.is_known
),
held as materialized (
  select
    e.project_id, e.id, e.contact_id, e.address, e.content_id, e.source_type, e.campaign_id, e.template_id, e.message_id,
    e.subject, e.transport_id, e.mailbox_provider, e.sent_at, e.delivered_at, e.bounced_at, e.complained_at, e.role, e.parent_id, e.resend_of
  from emails e
  where (e.project_id, e.id) in (select project_id, id from meant)
    and (
      e.status not in ('PENDING', 'CAPTURED', 'FAILED', 'SUPPRESSED')
      or e.sent_at is not null
      or e.doubted_at is not null
    )
  order by e.project_id, e.id
  for no key update
)
select
  m.n as "n!", h.project_id, h.id, h.contact_id, h.address, h.source_type, h.campaign_id, h.message_id, h.transport_id,
  h.mailbox_provider,
  h.sent_at, h.delivered_at, h.bounced_at, h.complained_at, h.role, h.parent_id,
  case when h.resend_of is null then h.parent_id end as message_from,
  coalesce(h.template_id, o.template_id) as template_id,
  coalesce(h.subject, o.subject) as "subject?",
  o.from_email as "from_email?",
  o.from_name as "from_name?",
  tags_by_name(o.tags) as "tags?"
from meant m
join held h on h.project_id = m.project_id and h.id = m.id
left join lateral (
  select c.subject, c.from_email, c.from_name, c.template_id, c.tags
  from contents c
  where c.project_id = h.project_id and c.id = h.content_id
  limit 1
) as o on true
order by m.n;

-- name: write :exec
-- nullable: changes.sent_at, changes.delivered_at, changes.bounced_at, changes.complained_at, changes.reason, changes.remark, changes.message_id, changes.provider_id
-- Writes what happened to mails, which the caller holds; the counters of campaigns follow by the trigger of the ledger.
-- `changes` holds, for each mail once, `{project_id, id, sent_at, delivered_at, bounced_at, complained_at, rejected,
-- reason, remark, message_id, provider_id}`.
--
-- The states are in their type from the weakest to the strongest: the stronger of two stays, in whatever order they
-- are reported. Notices are only about mails that have been sent, so each is SENT at least. What the ledger had taken
-- for FAILED or SUPPRESSED, while it was in doubt, becomes what the notice says. A rejection by the provider makes a
-- mail FAILED unless something is known that only a sent mail can have. Times are set once. The reason belongs to the
-- final state; a remark stays until something better is known.
with change as (
  select
    r.*,
    case
      when r.complained_at is not null then 'COMPLAINED'
      when r.bounced_at is not null then 'BOUNCED'
      when r.delivered_at is not null then 'DELIVERED'
      else 'SENT'
    end::email_status as status
  from json_to_recordset(:changes::json) as r (
    project_id uuid, id uuid, sent_at timestamptz, delivered_at timestamptz, bounced_at timestamptz,
    complained_at timestamptz, rejected boolean, reason text, remark text, message_id text, provider_id text
  )
),
compared as (
  select
    c.*,
    greatest(case when e.status not in ('FAILED', 'SUPPRESSED') then e.status end, c.status) as strongest,
    e.status = 'FAILED' and e.sent_at is not null as was_rejected
  from change c
  join emails e on e.project_id = c.project_id and e.id = c.id
),
judged as (
  select
    *,
    case when strongest = 'SENT' and (rejected or was_rejected) then 'FAILED' else strongest end as final
  from compared
)
update emails e
set
  status        = j.final,
  claimed_by    = null,
  data          = null,
  captured_at   = null,
  sent_at       = coalesce(e.sent_at, j.sent_at),
  delivered_at  = coalesce(e.delivered_at, j.delivered_at),
  bounced_at    = coalesce(e.bounced_at, j.bounced_at),
  complained_at = coalesce(e.complained_at, j.complained_at),
  message_id    = coalesce(e.message_id, j.message_id),
  provider_id   = coalesce(e.provider_id, j.provider_id),
  error         = case
    when e.bounced_at is not null then e.error
    when j.bounced_at is not null then j.reason
    when j.final = 'FAILED' then coalesce(case when j.was_rejected then e.error end, j.reason)
    when j.final = 'SENT' then coalesce(j.remark, case when e.status = 'SENT' then e.error end)
  end
from judged j
where e.project_id = j.project_id and e.id = j.id;

-- name: hold_lost :many
-- nullable: lost.address
-- Those of these contacts who want no more mail, locked for the rest of the transaction: those who complained, and
-- those whose address has bounced, unless they have another one by now. `lost` holds `{project_id, contact_id,
-- address?, complained}`. Locked in the order of `contacts.opt_out_many`.
with lost as materialized (
  select *
  from json_to_recordset(:lost::json) as r (project_id uuid, contact_id uuid, address text, complained boolean)
)
select c.project_id, c.id
from contacts c
where (c.project_id, c.id) in (select project_id, contact_id from lost)
  and exists (
    select
    from lost l
    where l.project_id = c.project_id and l.contact_id = c.id and (l.complained or l.address = c.email)
  )
order by c.project_id, c.email
for no key update of c;
