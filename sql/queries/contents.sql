-- name: insert_many :many
-- nullable: rows.text, rows.from_name, rows.reply_to, rows.headers, rows.data, rows.template_id, rows.tags, rows.track_opens, rows.track_clicks, rows.offers_unsubscribe, rows.recipients
-- Whether their mails are followed is decided here, by the project's current setting, and answered; `track_opens` and
-- `track_clicks` go over it.
insert into contents (
  project_id, id, subject, html, text, from_email, from_name, reply_to, headers, data, template_id, type, shared, tags,
  track_opens, track_clicks, offers_unsubscribe, recipients, tracked
)
select
  p.id, r.id, r.subject, r.html, r.text, r.from_email, r.from_name, r.reply_to, r.headers, r.data, r.template_id,
  r.type, r.shared, r.tags, r.track_opens, r.track_clicks, r.offers_unsubscribe, r.recipients,
  p.tracking = 'ENABLED' or p.tracking = 'MARKETING_ONLY' and r.type <> 'TRANSACTIONAL'
from projects p
cross join json_to_recordset(:rows::json) as r (
  id uuid, subject text, html text, text text, from_email text, from_name text, reply_to text, headers jsonb, data jsonb,
  template_id uuid, type message_type, shared boolean, tags jsonb, track_opens boolean, track_clicks boolean,
  offers_unsubscribe boolean, recipients jsonb
)
where p.id = :project_id
returning id, tracked;

-- name: copy :exec
-- Copies a content with its attachments under another id, for a mail of its own; nothing if its body is gone.
-- Whether it is tracked is decided again.
with copied as (
  insert into contents (
    project_id, id, subject, html, text, from_email, from_name, reply_to, headers, data, template_id, type, shared, tags,
    track_opens, track_clicks, offers_unsubscribe, recipients, tracked
  )
  select
    o.project_id, :id, o.subject, o.html, o.text, o.from_email, o.from_name, o.reply_to, o.headers, o.data, o.template_id,
    o.type, false, o.tags, o.track_opens, o.track_clicks, o.offers_unsubscribe, o.recipients,
    p.tracking = 'ENABLED' or p.tracking = 'MARKETING_ONLY' and o.type <> 'TRANSACTIONAL'
  from contents o
  join projects p on p.id = o.project_id
  where o.project_id = :project_id and o.id = :content_id and o.emptied_at is null
  returning project_id, id
),
attached as (
  insert into attachments (project_id, content_id, position, filename, content_type, cid, disposition, content)
  select c.project_id, c.id, a.position, a.filename, a.content_type, a.cid, a.disposition, a.content
  from copied c
  join attachments a on a.project_id = c.project_id and a.content_id = :content_id
)
select from copied;

-- name: attach :exec
-- nullable: rows.cid
-- Adds the attachments of contents. `rows` holds `{content_id, position, filename, content_type, cid?, disposition,
-- content}`, the content in base64 as the request carried it.
insert into attachments (project_id, content_id, position, filename, content_type, cid, disposition, content)
select
  :project_id, r.content_id, r.position, r.filename, r.content_type, r.cid, r.disposition, decode(r.content, 'base64')
from json_to_recordset(:rows::json) as r (
  content_id uuid, position int, filename text, content_type text, cid text, disposition text, content text
);

-- name: attachments :many
-- The attachments of these contents, in the order of the request.
select project_id, content_id, filename, content_type, cid, disposition, content
from attachments
where (project_id, content_id) in (select * from unnest(:project_ids::uuid[], :content_ids::uuid[]))
order by project_id, content_id, position;

-- name: kinds :many
-- What routes ask of contents. By their keys, whatever the planner thinks.
select a.id as "id!", c.type as "type!", recipient_domain(c.from_email) as "sender_domain!"
from unnest(:ids::uuid[]) as a (id)
cross join lateral (
  select o.type, o.from_email from contents o where o.project_id = :project_id and o.id = a.id limit 1
) as c;

-- name: kind_of_campaign :maybe
select c.type as "type!", recipient_domain(c.from_email) as "sender_domain!"
from campaigns k
join contents c on c.project_id = k.project_id and c.id = k.content_id
where k.project_id = :project_id and k.id = :campaign_id;
