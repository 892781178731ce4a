-- name: insert_many :many
-- nullable: rows.contact_id, rows.to_name, rows.template_id, rows.resend_of, rows.data, rows.scheduled_for, rows.role, rows.parent_id
-- Adds the mails of one or several requests to the ledger, and returns those that are to be sent: a mail to a suppressed
-- address is closed at once. `rows` holds `{id, contact_id, address, to_name?, content_id, template_id?, resend_of?,
-- data?, scheduled_for?, role?, parent_id?}`. The caller has just written or locked the contacts, so none of them can be deleted in the meantime. The
-- suppression list is looked up address by address, whatever the planner estimates about its size. They count against this
-- month's limit: all of them, or nothing is done.
with taken as materialized (
  select take_usage(:project_id, 'transactional', :now, json_array_length(:rows::json), true) as mails
),
given as (
  select
    r.id, r.contact_id, r.address, r.to_name, r.content_id, r.template_id, r.resend_of, r.data,
    r.scheduled_for, r.role, r.parent_id,
    (
      select s.reason
      from suppressions s
      where s.project_id = :project_id and s.email = r.address
    ) as suppressed
  from taken
  cross join json_to_recordset(:rows::json) as r (
    id uuid, contact_id uuid, address text, to_name text, content_id uuid, template_id uuid, resend_of uuid, data jsonb,
    scheduled_for timestamptz, role recipient_role, parent_id uuid
  )
),
added as (
  insert into emails (
    project_id, id, contact_id, address, to_name, content_id, source_type, template_id, resend_of, data, status, error,
    scheduled_for, due_at, queued_at, role, parent_id
  )
  select
    :project_id, id, contact_id, address, to_name, content_id, 'TRANSACTIONAL', template_id, resend_of,
    case when suppressed is null then data end,
    case when suppressed is null then 'PENDING' else 'SUPPRESSED' end::email_status,
    'The address is on the suppression list (' || suppressed || ')',
    scheduled_for, coalesce(scheduled_for, :now), :now, role, parent_id
  from given
  returning project_id, id, status, scheduled_for
)
select project_id, id, scheduled_for
from added
where status = 'PENDING'
order by id;

-- name: by_id :maybe
-- With what it said.
select
  e.id, e.contact_id,
  case when e.contact_id is not null or strpos(e.address, '@') > 0 then e.address end as "to",
  e.to_name, coalesce(e.subject, c.subject) as "subject?", c.from_email as "from?", c.from_name as "from_name?", c.type as "type?", c.tags as "tags?",
  e.template_id, e.campaign_id, e.workflow_id, e.step_id, e.workflow_execution_id,
  e.source_type, e.status, e.message_id, e.attempts, e.error, e.queued_at,
  e.captured_at, e.sent_at, e.delivered_at, e.opened_at, e.clicked_at, e.bounced_at, e.complained_at, e.unsubscribed_at,
  e.opens, e.clicks, e.provider_id, e.resend_of, e.doubted_at, e.scheduled_for,
  coalesce(e.role, 'to') as "role!", e.parent_id, coalesce(c.recipients -> 'cc', '[]') as "cc!",
  coalesce(c.recipients -> 'bcc', '[]') as "bcc!",
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
  e.to_name, coalesce(e.subject, c.subject) as "subject?", c.from_email as "from?", c.from_name as "from_name?", c.type as "type?", c.tags as "tags?",
  e.template_id, e.campaign_id, e.workflow_id, e.step_id, e.workflow_execution_id,
  e.source_type, e.status, e.message_id, e.attempts, e.error, e.queued_at,
  e.captured_at, e.sent_at, e.delivered_at, e.opened_at, e.clicked_at, e.bounced_at, e.complained_at, e.unsubscribed_at,
  e.opens, e.clicks, e.provider_id, e.resend_of, e.doubted_at, e.scheduled_for,
  coalesce(e.role, 'to') as "role!", e.parent_id, coalesce(c.recipients -> 'cc', '[]') as "cc!",
  coalesce(c.recipients -> 'bcc', '[]') as "bcc!",
  case when e.status = 'PENDING' and e.due_at < 'infinity' then e.due_at end as next_attempt_at
from emails e
left join contents c on c.project_id = e.project_id and c.id = e.content_id
where e.project_id = :project_id
  and :after
  and :filter
order by :direction
limit :limit::int;

-- name: count_tagged :one
-- splice: between = true
-- How many mails have a tag, of those with such ids (`t.email_id`), counted up to `up_to`.
select count(*)::int as "total!"
from (
  select
  from email_tags t
  where t.project_id = :project_id and t.tag = :tag and :between
  limit :up_to::int
) as counted;

-- name: tag :exec
-- Makes mails found by their tags. `rows` holds `{email_id, tag}`.
insert into email_tags (project_id, email_id, tag)
select :project_id, r.email_id, r.tag
from json_to_recordset(:rows::json) as r (email_id uuid, tag text);

-- name: tag_as :exec
-- Gives a mail the tags of another one.
insert into email_tags (project_id, email_id, tag)
select t.project_id, :email_id, t.tag
from email_tags t
where t.project_id = :project_id and t.email_id = :original_id;

-- name: found_contacts :many
-- The contacts whose address contains a text, up to `limit`.
select id
from contacts
where project_id = :project_id and email like :pattern
limit :limit::int;

-- name: found_contents :many
-- The contents whose subject, as written, contains a text, up to `limit`.
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
-- of them gives a page by its index, and the page is looked up by its keys, whatever the planner estimates.
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
  e.to_name, coalesce(e.subject, c.subject) as "subject?", c.from_email as "from?", c.from_name as "from_name?", c.type as "type?", c.tags as "tags?",
  e.template_id, e.campaign_id, e.workflow_id, e.step_id, e.workflow_execution_id,
  e.source_type, e.status, e.message_id, e.attempts, e.error, e.queued_at,
  e.captured_at, e.sent_at, e.delivered_at, e.opened_at, e.clicked_at, e.bounced_at, e.complained_at, e.unsubscribed_at,
  e.opens, e.clicks, e.provider_id, e.resend_of, e.doubted_at, e.scheduled_for,
  coalesce(e.role, 'to') as "role!", e.parent_id, coalesce(c.recipients -> 'cc', '[]') as "cc!",
  coalesce(c.recipients -> 'bcc', '[]') as "bcc!",
  case when e.status = 'PENDING' and e.due_at < 'infinity' then e.due_at end as next_attempt_at
from newest n
cross join lateral (
  select * from emails where project_id = :project_id and id = n.id limit 1
) as e
left join lateral (
  select * from contents where project_id = e.project_id and id = e.content_id limit 1
) as c on true
order by e.id desc;

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
