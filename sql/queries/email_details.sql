-- name: content :maybe
-- What a mail said, while its body is kept, and its contact as they are now.
select
  e.id, e.address, e.to_name, e.source_type, e.campaign_id, e.template_id, e.contact_id,
  coalesce(e.data, workflow_mail_data(e)) as own_data,
  e.resend_of, e.parent_id, case when e.parent_id <> e.id then first_recipient(e.project_id, e.parent_id) end as first_recipient,
  e.subject as "sent_subject", o.id as "content_id?", o.subject as "subject?", o.html as "html?", o.text as "text?",
  o.from_email as "from_email?",
  o.from_name as "from_name?", o.reply_to as "reply_to?", o.headers as "headers?", o.data as "request_data?",
  o.type as "type?", o.offers_unsubscribe as "offers_unsubscribe?", o.emptied_at as "emptied_at?", c.subscribed as "subscribed?", c.data as "contact_data?",
  p.name as "project_name!", p.language as "language!", p.postal_address
from emails e
join projects p on p.id = e.project_id
left join contents o on o.project_id = e.project_id and o.id = e.content_id
left join contacts c on c.project_id = e.project_id and c.id = e.contact_id
where e.project_id = :project_id and e.id = :email_id;

-- name: named_to :many
-- Whom a message was addressed to, up to 1,000, as its request named them: those of the mails with the same content, without
-- copies. A content of workflows and campaigns has many messages: there it is the recipient of the mail alone.
select
  case when t.contact_id is not null or strpos(t.address, '@') > 0 then t.address end as "email?", t.to_name as "name?"
from emails own
cross join lateral (
  select e.id, e.contact_id, e.address, e.to_name
  from emails e
  where own.source_type = 'TRANSACTIONAL'
    and e.project_id = own.project_id
    and e.content_id = own.content_id
    and e.campaign_id is null
    and coalesce(e.role, 'to') = 'to'
  union all
  select own.id, own.contact_id, own.address, own.to_name
  where own.source_type <> 'TRANSACTIONAL' or own.content_id is null
) as t
where own.project_id = :project_id and own.id = :email_id
order by t.id
limit 1000;

-- name: to_resend :maybe
-- A mail that will be sent again, with what decides whether it may. `to` is the address that its contact has now; null
-- once the contact has been deleted. The contact is locked: it stays until the commit.
with original as materialized (
  select
    e.contact_id, e.address, e.to_name, e.status, e.source_type, e.content_id, e.template_id, e.workflow_execution_id,
    coalesce(e.data, workflow_mail_data(e)) as data, e.role, e.parent_id
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
  e.to_name, e.status as "status!", e.source_type as "source_type!", e.template_id, e.data, e.role, e.parent_id,
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
-- One file of a mail, by its place among them, from 0, while it is kept; or the whole message that it was submitted as.
select f.filename, f.disposition, f.content
from (
  select a.*, row_number() over (order by a.position) - 1 as place
  from emails e
  join attachments a on a.project_id = e.project_id and a.content_id = e.content_id
  where e.project_id = :project_id and e.id = :email_id
) as f
where f.place = :index::int or f.disposition = 'message'
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
