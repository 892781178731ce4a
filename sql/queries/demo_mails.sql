-- name: add_contents :exec
-- What the mails about orders say: each has a content of its own, with the id of the event that it is about.
insert into contents (project_id, id, subject, html, from_email, from_name, data, template_id, type, tracked, created_at)
select
  e.project_id, e.id, replace(:subject, '{{event.orderNumber}}', e.data ->> 'orderNumber'), t.html, t.from_email,
  t.from_name, jsonb_build_object('event', e.data), t.id, t.type, true, e.created_at
from events e
join templates t on t.project_id = e.project_id and t.id = :template_id
where e.project_id = :project_id and e.name = :event_name;

-- name: add_shared_content :one
-- What all mails of a template say.
insert into contents (project_id, id, subject, html, from_email, from_name, reply_to, template_id, type, tracked, shared, created_at)
select t.project_id, :id, t.subject, t.html, t.from_email, t.from_name, t.reply_to, t.id, t.type, true, true, :at
from templates t
where t.project_id = :project_id and t.id = :template_id
returning id;

-- name: add_campaign_content :one
-- What the mails of a campaign say.
insert into contents (project_id, id, subject, html, from_email, from_name, reply_to, template_id, type, tracked, shared, created_at)
select c.project_id, :id, c.subject, c.html, c.from_email, c.from_name, c.reply_to, c.template_id, c.type, true, true, :at
from campaigns c
where c.project_id = :project_id and c.id = :campaign_id
returning id;

-- name: add_mails :exec
-- nullable: campaigns.country, campaigns.plan
-- The ledger: the mails of campaigns, of steps that were passed, and about orders, with what happened to them. An address
-- that does not exist bounces once; who opted out does so by the last mail before. Nothing here is ever to be sent: what
-- is PENDING is due in 30 days. `campaigns` holds `{n, id, content_id, at, country?, plan?, opens, clicks}`, `steps`
-- `{id, template_id, content_id}`, and `notices` `{event_name, template_id}`.
with wanted as materialized (
  select
    'CAMPAIGN'::email_source as source, r.id as campaign_id, r.content_id, null::uuid as template_id,
    null::uuid as workflow_id, null::uuid as step_id, null::uuid as execution_id, null::uuid as id, r.n as salt, c.id as contact_id, c.email,
    r.at::timestamptz as at, c.opted_out_at, r.opens, r.clicks
  from json_to_recordset(:campaigns::json) as r (
    n int, id uuid, content_id uuid, at text, country text, plan text, opens float8, clicks float8
  )
  join contacts c
    on c.project_id = :project_id
    and c.data ? 'customerNumber'
    and c.created_at < r.at::timestamptz
    and (c.opted_out_at is null or c.opted_out_at > r.at::timestamptz)
    and (r.country is null or c.data ->> 'country' = r.country)
    and (r.plan is null or c.data ->> 'plan' = r.plan)
  union all
  select
    'WORKFLOW', null, r.content_id, r.template_id, x.workflow_id, s.step_id, x.id, s.id, 100 + s.seq, c.id, c.email,
    s.completed_at, null, 0.52, 0.2
  from json_to_recordset(:steps::json) as r (id uuid, template_id uuid, content_id uuid)
  join step_executions s on s.project_id = :project_id and s.step_id = r.id and s.status = 'COMPLETED'
  join executions x on x.project_id = :project_id and x.id = s.execution_id
  join contacts c on c.project_id = :project_id and c.id = x.contact_id
  where c.opted_out_at is null or c.opted_out_at > s.completed_at
  union all
  select
    'TRANSACTIONAL', null, e.id, r.template_id, null, null, null, null, hashtext(e.id::text), c.id, c.email,
    least(e.created_at + interval '2 seconds', :now::timestamptz), null, 0.7, 0.18
  from json_to_recordset(:notices::json) as r (event_name text, template_id uuid)
  join events e on e.project_id = :project_id and e.name = r.event_name
  join contacts c on c.project_id = :project_id and c.id = e.contact_id
),
drawn as (
  select
    w.*,
    (hashtextextended(w.email, :seed::int::bigint + 40) & 1048575) / 1048576::float8 < 0.011 as is_dead,
    row_number() over (partition by w.contact_id order by w.at, w.salt) as nth,
    w.opted_out_at is not null and row_number() over (partition by w.contact_id, w.source order by w.at desc) = 1 as is_last,
    row_number() over (partition by w.source order by w.at desc, w.email) as newest,
    (hashtextextended(w.email, :seed::int::bigint + 1000 * w.salt::bigint + 41) & 1048575) / 1048576::float8 as fate,
    (hashtextextended(w.email, :seed::int::bigint + 1000 * w.salt::bigint + 42) & 1048575) / 1048576::float8 as opens_it,
    (hashtextextended(w.email, :seed::int::bigint + 1000 * w.salt::bigint + 43) & 1048575) / 1048576::float8 as clicks_it,
    (hashtextextended(w.email, :seed::int::bigint + 1000 * w.salt::bigint + 44) & 1048575) / 1048576::float8 as later,
    (hashtextextended(w.email, :seed::int::bigint + 1000 * w.salt::bigint + 45) & 1048575) / 1048576::float8 as bot,
    (hashtextextended(w.email, :seed::int::bigint + 1000 * w.salt::bigint + 46) & 1048575) / 1048576::float8 as complains
  from wanted w
),
settled as (
  select
    d.*,
    case
      when d.is_dead and d.nth = 1 then 'BOUNCED'
      when d.is_dead then 'SUPPRESSED'
      when d.source = 'TRANSACTIONAL' and d.newest <= 3 then 'PENDING'
      when d.source = 'TRANSACTIONAL' and d.newest <= 9 then 'CAPTURED'
      when d.source = 'CAMPAIGN' and d.newest % 9000 = 77 then 'IN_DOUBT'
      when d.fate < 0.0025 then 'FAILED'
      when d.fate < 0.03 then 'SENT'
      else 'DELIVERED'
    end::email_status as outcome,
    least(
      d.at + interval '1 second' + interval '12 minutes' * case when d.source = 'CAMPAIGN' then d.later * d.bot else 0 end,
      :now::timestamptz
    ) as sent
  from drawn d
  where not (d.is_dead and d.nth > 1 and d.source = 'CAMPAIGN')
),
opened as (
  select
    s.*,
    least(s.sent + interval '2 seconds' + interval '70 seconds' * s.later, :now::timestamptz) as delivered,
    case when s.outcome = 'DELIVERED' and (s.opens_it < s.opens or s.is_last)
      then s.sent + interval '3 minutes' + interval '60 hours' * s.later * s.later * s.later * s.later end as opened
  from settled s
),
seen as (
  select
    o.*,
    case when o.opened < :now::timestamptz then o.opened end as opened_at,
    case when o.clicks_it < o.clicks / o.opens and o.opened + interval '4 minutes' < :now::timestamptz
      then o.opened + interval '20 seconds' + interval '3 minutes' * o.bot end as clicked_at
  from opened o
),
ended as (
  select
    s.*,
    case when s.complains < 0.0015 and s.opened_at + interval '4 minutes' < :now::timestamptz then s.opened_at + interval '2 minutes' end as complained_at,
    case when s.is_last and s.opened_at + interval '4 minutes' < :now::timestamptz then s.opened_at + interval '3 minutes' end as unsubscribed_at
  from seen s
)
insert into emails (
  project_id, id, contact_id, address, content_id, source_type, campaign_id, template_id, workflow_execution_id,
  workflow_id, step_id, subject, status, attempts, due_at, queued_at, tried_at, doubted_at, message_id, error, captured_at,
  sent_at, delivered_at, opened_at, clicked_at, bounced_at, complained_at, unsubscribed_at, bot_opened_at, opens, clicks
)
select
  :project_id, i.id, e.contact_id, e.email, e.content_id, e.source, e.campaign_id, e.template_id, e.execution_id,
  e.workflow_id, e.step_id,
  nullif(replace(o.subject, '{{firstName ?? Hello}}', coalesce(c.data ->> 'firstName', 'Hello')), o.subject),
  case
    when e.complained_at is not null then 'COMPLAINED'
    when e.clicked_at is not null then 'CLICKED'
    when e.opened_at is not null then 'OPENED'
    else e.outcome
  end::email_status,
  case e.outcome when 'SUPPRESSED' then 0 when 'PENDING' then 2 when 'FAILED' then 9 else 1 end,
  case e.outcome
    when 'PENDING' then :now::timestamptz + interval '30 days'
    when 'IN_DOUBT' then e.sent
    else e.at
  end,
  e.at,
  case when e.outcome not in ('SUPPRESSED', 'CAPTURED') then e.sent end,
  case when e.outcome = 'IN_DOUBT' then e.sent end,
  case when e.outcome not in ('SUPPRESSED', 'PENDING') then '<' || i.id || '@' || :domain || '>' end,
  case e.outcome
    when 'BOUNCED' then '550 5.1.1 The email account that you tried to reach does not exist'
    when 'FAILED' then '421 4.4.2 Connection timed out. Given up after 24 hours'
    when 'PENDING' then '451 4.7.1 Greylisted, please try again later'
    when 'SUPPRESSED' then 'The address is on the suppression list: BOUNCE'
    when 'IN_DOUBT' then 'The connection ended before the reply to the message'
  end,
  case when e.outcome = 'CAPTURED' then e.sent end,
  case when e.outcome in ('SENT', 'DELIVERED') then e.sent end,
  case when e.outcome = 'DELIVERED' then e.delivered end,
  e.opened_at, e.clicked_at,
  case when e.outcome = 'BOUNCED' then e.delivered end,
  e.complained_at, e.unsubscribed_at,
  case when e.outcome = 'DELIVERED' and e.bot < 0.11 then least(e.delivered + interval '5 seconds', :now::timestamptz) end,
  case when e.opened_at is null then 0 else 1 + floor(3 * e.later * e.bot)::int end,
  case when e.clicked_at is null then 0 else 1 + floor(2 * e.bot * e.bot)::int end
from ended e
cross join lateral (select md5(e.email || e.salt || e.source || coalesce(e.campaign_id, e.content_id)) as hash) as h
cross join lateral (
  select coalesce(e.id, (
    lpad(to_hex((extract(epoch from e.at) * 1000)::bigint), 12, '0') || '7' || substr(h.hash, 1, 3) || '8'
      || substr(h.hash, 4, 15)
  )::uuid) as id
) as i
left join contents o on e.source = 'WORKFLOW' and o.project_id = :project_id and o.id = e.content_id
left join contacts c on e.source = 'WORKFLOW' and c.project_id = :project_id and c.id = e.contact_id
order by e.at;

-- name: add_events :exec
-- The events of the mails: sent, delivered, opened, clicked (a link of `links`, the first ones more often), bounced and
-- complained of, and opens by bots. What those of a mail have in common is made once for each mail.
insert into events (project_id, id, contact_id, email_id, name, data, created_at, depth)
select
  m.project_id,
  (
    lpad(to_hex((extract(epoch from v.at) * 1000)::bigint), 12, '0') || '7' || substr(h.hash, 1, 3) || '8'
      || substr(h.hash, 4, 15)
  )::uuid,
  m.contact_id, m.id, v.name,
  m.data || case v.n
    when 1 then jsonb_build_object('sentAt', v.at)
    when 2 then jsonb_build_object('deliveredAt', v.at)
    when 3 then jsonb_build_object('openedAt', v.at, 'opens', 1, 'isFirstOpen', true)
    when 4 then jsonb_build_object('openedAt', v.at, 'opens', 0, 'isFirstOpen', false, 'machine', true)
    when 5 then jsonb_build_object(
      'link', (:links::text[])[1 + floor(m.draw * m.draw * cardinality(:links::text[]))::int], 'clickedAt', v.at, 'clicks', 1,
      'isFirstClick', true
    )
    when 6 then jsonb_build_object('bouncedAt', v.at, 'bounceType', 'Permanent', 'reason', m.error)
    else jsonb_build_object('complainedAt', v.at)
  end,
  v.at,
  0
from (
  select
    e.project_id, e.id, e.contact_id, e.error, e.sent_at, e.delivered_at, e.opened_at, e.bot_opened_at, e.clicked_at, e.bounced_at,
    e.complained_at, (hashtextextended(e.message_id, 7) & 1048575) / 1048576::float8 as draw,
    jsonb_build_object(
      'subject', coalesce(e.subject, o.subject), 'from', o.from_email, 'fromName', o.from_name, 'messageId', e.message_id, 'emailId', e.id,
      'templateId', coalesce(e.template_id, o.template_id), 'campaignId', e.campaign_id, 'sourceType', e.source_type
    ) as data
  from emails e
  join contents o on o.project_id = e.project_id and o.id = e.content_id
  where e.project_id = :project_id
  offset 0
) as m
cross join lateral (values
  (1, 'email.sent', m.sent_at),
  (2, 'email.delivery', m.delivered_at),
  (3, 'email.open', m.opened_at),
  (4, 'email.open', m.bot_opened_at),
  (5, 'email.click', m.clicked_at),
  (6, 'email.bounce', m.bounced_at),
  (7, 'email.complaint', m.complained_at)
) as v (n, name, at)
cross join lateral (select md5(v.n || m.id::text) as hash) as h
where v.at is not null;

-- name: finish_campaigns :exec
-- The campaigns that were sent, with their counts. `campaigns` holds `{id, content_id, at}`.
update campaigns c
set
  status = 'SENT', content_id = r.content_id, sent_at = r.at::timestamptz, snapshot_at = r.at::timestamptz,
  finished_at = r.at::timestamptz + interval '14 minutes', created_at = r.at::timestamptz - interval '2 days',
  updated_at = r.at::timestamptz + interval '14 minutes',
  snapshot_count = n.mails, total_recipients = n.mails, processed_count = n.mails, sent_count = n.sent, delivered_count = n.delivered,
  opened_count = n.opened, clicked_count = n.clicked, bounced_count = n.bounced, complained_count = n.complained,
  unsubscribed_count = n.unsubscribed, failed_count = n.failed
from json_to_recordset(:campaigns::json) as r (id uuid, content_id uuid, at text)
cross join lateral (
  select
    count(*)::int as mails, count(e.sent_at)::int as sent, count(e.delivered_at)::int as delivered,
    count(e.opened_at)::int as opened, count(e.clicked_at)::int as clicked, count(e.bounced_at)::int as bounced,
    count(e.complained_at)::int as complained, count(e.unsubscribed_at)::int as unsubscribed,
    count(*) filter (where e.status = 'FAILED')::int as failed
  from emails e
  where e.project_id = :project_id and e.campaign_id = r.id
) as n
where c.project_id = :project_id and c.id = r.id;

-- name: count_links :exec
-- The links of the campaigns that were followed.
insert into campaign_links (project_id, campaign_id, link_key, link, clicks, first_clicks)
select
  e.project_id, (e.data ->> 'campaignId')::uuid, md5(e.data ->> 'link')::uuid, e.data ->> 'link',
  sum(m.clicks)::int, count(*)::int
from events e
join emails m on m.project_id = e.project_id and m.id = e.email_id
where e.project_id = :project_id and e.name = 'email.click' and e.data ->> 'campaignId' is not null
group by e.project_id, e.data ->> 'campaignId', e.data ->> 'link';

-- name: count_usage :exec
-- What was accepted by month and source.
insert into usage_months as u (project_id, month, category, used)
select project_id, usage_month(queued_at), usage_of_source(source_type), count(*)
from emails
where project_id = :project_id
group by 1, 2, 3
on conflict (project_id, month, category) do update
set used = u.used + excluded.used;

-- name: count_reputation :exec
-- Mails handed over, bounces and complaints by day.
insert into reputation_days as d (project_id, day, total, bounces, complaints)
select
  project_id, (coalesce(sent_at, bounced_at) at time zone 'UTC')::date, count(*), count(bounced_at), count(complained_at)
from emails
where project_id = :project_id and coalesce(sent_at, bounced_at) is not null
group by 1, 2
on conflict (project_id, day) do update
set total = d.total + excluded.total, bounces = d.bounces + excluded.bounces, complaints = d.complaints + excluded.complaints;
