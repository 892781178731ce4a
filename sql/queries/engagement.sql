-- name: record :exec
-- nullable: hits.link
-- Records a batch of opens and clicks, in which a mail may occur several times: its counts and times, the events, and
-- through the trigger `emails_count` the counters of the campaign; clicks count for the links of the campaign, too. `hits` holds, in the order in which they came,
-- `{n, project_id, email_id, event_id, link?, is_bot, at}`; with a link it is a click. Returns the number of events.
--
-- Bots are recorded, and change only `bot_opened_at`. A click is an open too, because many people load no images: it
-- sets `opened_at`, but does not count among the `opens`. The state only moves forward, and not at all once the mail has
-- ended otherwise. A mail in doubt turns out to have been sent; one that is being sent is left to its sender. Mails that
-- were never sent, or are unknown, record nothing. A captured mail was not sent either, but people who try things out in
-- the inbox expect workflows to react: it is recorded and flagged, and changes nothing in the ledger. Mails are locked in
-- the order of their ids, so that two batches never deadlock. Contents are looked up one by one, whatever the planner
-- estimates.
with hit as materialized (
  select *
  from json_to_recordset(:hits::json) as r (
    n int, project_id uuid, email_id uuid, event_id uuid, link text, is_bot boolean, at text
  )
),
mail as materialized (
  select
    e.project_id, e.id, e.contact_id, e.content_id, e.source_type, e.campaign_id, e.template_id, e.message_id, e.subject,
    e.opens, e.clicks, e.role, e.parent_id, e.status = 'CAPTURED' as captured
  from emails e
  where (e.project_id, e.id) in (select project_id, email_id from hit)
    and e.status not in ('PENDING', 'FAILED', 'SUPPRESSED')
  order by e.project_id, e.id
  for no key update
),
seen as (
  select
    project_id,
    email_id,
    count(*) filter (where not is_bot and link is null)::int as opens,
    count(link) filter (where not is_bot)::int as clicks,
    min(at::timestamptz) filter (where not is_bot) as opened_at,
    min(at::timestamptz) filter (where not is_bot and link is not null) as clicked_at,
    min(at::timestamptz) filter (where is_bot) as bot_opened_at
  from hit
  group by project_id, email_id
),
counted as (
  update emails e
  set
    opens             = e.opens + s.opens,
    clicks            = e.clicks + s.clicks,
    opened_at         = coalesce(e.opened_at, s.opened_at),
    clicked_at        = coalesce(e.clicked_at, s.clicked_at),
    bot_opened_at = coalesce(e.bot_opened_at, s.bot_opened_at),
    sent_at           = case when e.status = 'IN_DOUBT' then coalesce(e.sent_at, s.opened_at) else e.sent_at end,
    claimed_by        = case when e.status = 'IN_DOUBT' and s.opened_at is not null then null else e.claimed_by end,
    error             = case when e.status = 'IN_DOUBT' and s.opened_at is not null then null else e.error end,
    status            = case
      when s.opened_at is null or e.status not in ('IN_DOUBT', 'SENT', 'DELIVERED', 'OPENED') then e.status
      when s.clicks > 0 then 'CLICKED'
      else 'OPENED'
    end
  from seen s
  join mail m on m.project_id = s.project_id and m.id = s.email_id
  where e.project_id = m.project_id
    and e.id = m.id
    and not m.captured
    and (s.opened_at is not null or e.bot_opened_at is null)
),
numbered as (
  select
    h.n, h.event_id, h.link, h.is_bot, h.at, m.*,
    m.opens + count(*) filter (where not h.is_bot and not m.captured and h.link is null) over so_far as nth_open,
    m.clicks + count(*) filter (where not h.is_bot and not m.captured and h.link is not null) over so_far as nth_click
  from hit h
  join mail m on m.project_id = h.project_id and m.id = h.email_id
  window so_far as (partition by h.project_id, h.email_id order by h.n)
),
followed as (
  insert into campaign_link_deltas (project_id, campaign_id, link, clicks, first_clicks)
  select project_id, campaign_id, link, count(*), count(*) filter (where nth_click = 1)
  from numbered
  where campaign_id is not null and link is not null and not is_bot and not captured
  group by project_id, campaign_id, link
)
insert into events (project_id, id, contact_id, email_id, name, data, created_at)
select
  h.project_id,
  h.event_id,
  h.contact_id,
  h.id,
  case when h.link is null then 'email.open' else 'email.click' end,
  jsonb_build_object(
    'subject', coalesce(h.subject, o.subject),
    'from', o.from_email,
    'fromName', o.from_name,
    'messageId', h.message_id,
    'emailId', h.id,
    'templateId', coalesce(h.template_id, o.template_id),
    'campaignId', h.campaign_id,
    'sourceType', h.source_type
  ) || case
    when h.link is null then jsonb_build_object(
      'openedAt', h.at, 'opens', h.nth_open, 'isFirstOpen', not h.is_bot and not h.captured and h.nth_open = 1
    )
    else jsonb_build_object(
      'link', h.link, 'clickedAt', h.at, 'clicks', h.nth_click, 'isFirstClick', not h.is_bot and not h.captured and h.nth_click = 1
    )
  end
    || case when h.is_bot then '{"machine": true}'::jsonb else '{}' end
    || case when h.captured then '{"captured": true}'::jsonb else '{}' end
    || case when o.tags is null then '{}' else jsonb_build_object('tags', tags_by_name(o.tags)) end
    || case when h.role is null then '{}' else jsonb_build_object('role', h.role, 'parentId', h.parent_id) end,
  h.at::timestamptz
from numbered h
left join lateral (
  select c.subject, c.from_email, c.from_name, c.template_id, c.tags
  from contents c
  where c.project_id = h.project_id and c.id = h.content_id
  limit 1
) as o on true
order by h.n;
