-- name: by_id :maybe
-- The content sent for a template, and what it was made from.
select id, name, subject, preheader, body, html, from_email, from_name, reply_to, type
from templates
where project_id = :project_id and id = :template_id;

-- name: contents :many
-- What these templates say.
select id, subject, preheader, html, from_email, from_name, reply_to, type
from templates
where project_id = :project_id and id = any(:template_ids::uuid[]);

-- name: by_aliases :many
-- The templates that have one of these aliases.
select alias as "alias!", id
from templates
where project_id = :project_id and alias = any(:aliases::text[]);

-- name: live_by_aliases :many
-- The same of templates of the project that a sandbox belongs to.
select t.alias as "alias!", t.id
from projects s
join templates t on t.project_id = s.sandbox_of and t.alias = any(:aliases::text[])
where s.id = :project_id;

-- name: live_contents :many
-- The same of templates of the project that a sandbox belongs to: code that is tested names these.
select t.id, t.subject, t.preheader, t.html, t.from_email, t.from_name, t.reply_to, t.type
from projects s
join templates t on t.project_id = s.sandbox_of and t.id = any(:template_ids::uuid[])
where s.id = :project_id;

-- name: get :maybe
-- A template as its author knows it.
select
  id, name, alias, description, subject, preheader, body, from_email, from_name, reply_to, type, project_id, created_at, updated_at
from templates
where project_id = :project_id and id = :template_id;

-- name: list :many
-- nullable: type, pattern, ids, after_id
-- One page, at an offset or after a template: then in the order of creation, which is that of ids. Bodies only where they
-- are asked for. A project has hundreds of templates, and not millions: sorting them all costs little.
select
  id, name, alias, description, subject, preheader, case when :with_body::boolean then body end as "body?", from_email, from_name, reply_to, type, project_id, created_at, updated_at
from templates
where project_id = :project_id
  and (:type::message_type is null or type = :type)
  and (:ids::uuid[] is null or id = any(:ids))
  and (
    :pattern::text is null
    or name ilike :pattern
    or alias ilike :pattern
    or description ilike :pattern
    or subject ilike :pattern
  )
  and (:after_id::uuid is null or case when :dir = 'asc' then id > :after_id else id < :after_id end)
order by
  case when :sort = 'name' and :dir = 'asc' then lower(name) end,
  case when :sort = 'name' and :dir = 'desc' then lower(name) end desc,
  case when :sort = 'createdAt' and :dir = 'asc' then created_at end,
  case when :sort = 'createdAt' and :dir = 'desc' then created_at end desc,
  case when :sort = 'updatedAt' and :dir = 'asc' then updated_at end,
  case when :sort = 'updatedAt' and :dir = 'desc' then updated_at end desc,
  case when :dir = 'asc' then id end,
  id desc
limit :limit::int
offset :offset::int;

-- name: count :one
-- nullable: type, pattern, ids
select count(*)::int as "total!"
from templates
where project_id = :project_id
  and (:type::message_type is null or type = :type)
  and (:ids::uuid[] is null or id = any(:ids))
  and (
    :pattern::text is null
    or name ilike :pattern
    or alias ilike :pattern
    or description ilike :pattern
    or subject ilike :pattern
  );

-- name: insert :one
-- nullable: alias, description, preheader, from_name, reply_to
insert into templates (project_id, name, alias, description, subject, preheader, body, html, from_email, from_name, reply_to, type)
values (
  :project_id, :name, :alias, :description, :subject, :preheader, :body, :html, :from_email, :from_name, :reply_to, :type
)
returning
  id, name, alias, description, subject, preheader, body, from_email, from_name, reply_to, type, project_id, created_at, updated_at;

-- name: patch :maybe
-- nullable: name, alias, description, subject, preheader, body, html, from_email, from_name, reply_to, type
-- Changes what is given of a template that is held. Its time stays where that is what it was.
with given as (
  select
    id,
    coalesce(:name, name) as name,
    case when :set_alias::boolean then :alias else alias end as alias,
    case when :set_description::boolean then :description else description end as description,
    coalesce(:subject, subject) as subject,
    case when :set_preheader::boolean then :preheader else preheader end as preheader,
    coalesce(:body, body) as body,
    coalesce(:html, html) as html,
    coalesce(:from_email, from_email) as from_email,
    case when :set_from_name::boolean then :from_name else from_name end as from_name,
    case when :set_reply_to::boolean then :reply_to else reply_to end as reply_to,
    coalesce(:type, type) as type
  from templates
  where project_id = :project_id and id = :template_id
)
update templates t
set
  name        = g.name,
  alias       = g.alias,
  description = g.description,
  subject     = g.subject,
  preheader   = g.preheader,
  body        = g.body,
  html        = g.html,
  from_email  = g.from_email,
  from_name   = g.from_name,
  reply_to    = g.reply_to,
  type        = g.type,
  updated_at  = case
    when (t.name, t.alias, t.description, t.subject, t.preheader, t.body, t.from_email, t.from_name, t.reply_to, t.type)
      is distinct from
      (g.name, g.alias, g.description, g.subject, g.preheader, g.body, g.from_email, g.from_name, g.reply_to, g.type)
      then now()
    else t.updated_at
  end
from given g
where t.project_id = :project_id and t.id = g.id
returning
  t.id, t.name, t.alias, t.description, t.subject, t.preheader, t.body, t.from_email, t.from_name, t.reply_to, t.type,
  t.project_id, t.created_at, t.updated_at;

-- name: duplicate :maybe
-- A copy of a template under another name.
insert into templates (project_id, name, description, subject, preheader, body, html, from_email, from_name, reply_to, type)
select project_id, :name, description, subject, preheader, body, html, from_email, from_name, reply_to, type
from templates
where project_id = :project_id and id = :template_id
returning
  id, name, alias, description, subject, preheader, body, from_email, from_name, reply_to, type, project_id, created_at, updated_at;

-- name: lock :maybe
-- The template, held until the end of the transaction. A campaign that is being made from it, or a step that is being
-- saved with it, holds it too, by its foreign key: one of the two waits for the other.
select id
from templates
where project_id = :project_id and id = :template_id
for update;

-- name: remove :exec
delete from templates
where project_id = :project_id and id = :template_id;

-- name: campaigns :many
-- The campaigns that were made from the template, newest first.
select id, name, status
from campaigns
where project_id = :project_id and template_id = :template_id
order by id desc;

-- name: uses :many
-- How often each of these templates is used, and when one of its newest mails, or one of its campaigns, was sent. Campaigns
-- are read in one pass over those of the project, everything else by the indexes of the templates.
select
  t.id,
  coalesce(c.campaigns, 0) as "campaigns!",
  w.workflows as "workflows!",
  greatest(c.last_sent_at, m.last_sent_at) as "last_sent_at?"
from templates t
left join (
  select template_id, count(*)::int as campaigns, max(sent_at) as last_sent_at
  from campaigns
  where project_id = :project_id and template_id = any(:ids::uuid[])
  group by template_id
) as c on c.template_id = t.id
cross join lateral (
  select count(distinct s.workflow_id)::int as workflows
  from workflow_steps s
  where s.project_id = :project_id and s.template_id = t.id
) as w
cross join lateral (
  select max(newest.sent_at) as last_sent_at
  from (
    select e.sent_at
    from emails e
    where e.project_id = :project_id and e.template_id = t.id
    order by e.id desc
    limit :limit::int
  ) as newest
) as m
where t.project_id = :project_id and t.id = any(:ids::uuid[])
order by t.id;

-- name: count_sent :one
-- The mails of the template that were handed over: those of its campaigns by their counters, the others in the ledger.
select
  (
    select coalesce(sum(c.sent_count), 0)
    from campaigns c
    where c.project_id = :project_id and c.template_id = :template_id
  )::int
  + (
    select coalesce(sum(d.sent), 0)
    from campaigns c
    join campaign_count_deltas d on d.project_id = c.project_id and d.campaign_id = c.id
    where c.project_id = :project_id and c.template_id = :template_id
  )::int
  + (
    select count(*)
    from emails e
    where e.project_id = :project_id and e.template_id = :template_id and e.sent_at is not null
  )::int as "total!";

-- name: outcomes :one
-- What happened to the newest mails of a template, but for those of campaigns, up to `limit`.
select
  count(*)::int as "mails!",
  count(m.sent_at)::int as "sent!",
  count(m.delivered_at)::int as "delivered!",
  count(m.opened_at)::int as "opened!",
  count(m.clicked_at)::int as "clicked!",
  count(m.bounced_at)::int as "bounced!",
  count(m.complained_at)::int as "complained!",
  count(m.unsubscribed_at)::int as "unsubscribed!",
  max(m.sent_at) as "last_sent_at?"
from (
  select
    e.sent_at, e.delivered_at, e.opened_at, e.clicked_at, e.bounced_at, e.complained_at, e.unsubscribed_at
  from emails e
  where e.project_id = :project_id and e.template_id = :template_id
  order by e.id desc
  limit :limit::int
) as m;

-- name: versions :many
-- What a template was, newest first, without the bodies.
select version, name, subject, created_at, created_by
from template_versions
where project_id = :project_id and template_id = :template_id
order by version desc;

-- name: version :maybe
select
  version, name, description, subject, preheader, body, from_email, from_name, reply_to, type, created_at, created_by
from template_versions
where project_id = :project_id and template_id = :template_id and version = :version;

-- name: restore :maybe
-- Makes a template what it was in a version. Its time stays where it is that already.
update templates t
set
  name        = v.name,
  description = v.description,
  subject     = v.subject,
  preheader   = v.preheader,
  body        = v.body,
  html        = v.html,
  from_email  = v.from_email,
  from_name   = v.from_name,
  reply_to    = v.reply_to,
  type        = v.type,
  updated_at  = case
    when (t.name, t.description, t.subject, t.preheader, t.body, t.from_email, t.from_name, t.reply_to, t.type)
      is distinct from
      (v.name, v.description, v.subject, v.preheader, v.body, v.from_email, v.from_name, v.reply_to, v.type)
      then now()
    else t.updated_at
  end
from template_versions v
where t.project_id = :project_id
  and t.id = :template_id
  and v.project_id = t.project_id
  and v.template_id = t.id
  and v.version = :version
returning
  t.id, t.name, t.alias, t.description, t.subject, t.preheader, t.body, t.from_email, t.from_name, t.reply_to, t.type,
  t.project_id, t.created_at, t.updated_at;
