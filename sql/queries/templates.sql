-- name: by_id :maybe
-- The content sent for a template, and what it was made from.
select id, name, subject, body, html, from_email, from_name, reply_to, type
from templates
where project_id = :project_id and id = :template_id;

-- name: get :maybe
-- A template as its author knows it.
select
  id, name, description, subject, body, from_email, from_name, reply_to, type, project_id, created_at, updated_at
from templates
where project_id = :project_id and id = :template_id;

-- name: list :many
-- nullable: type, pattern
-- One page. A project has hundreds of templates, and not millions: sorting them all costs little.
select
  id, name, description, subject, body, from_email, from_name, reply_to, type, project_id, created_at, updated_at
from templates
where project_id = :project_id
  and (:type::message_type is null or type = :type)
  and (
    :pattern::text is null
    or name ilike :pattern
    or description ilike :pattern
    or subject ilike :pattern
  )
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
-- nullable: type, pattern
select count(*)::int as "total!"
from templates
where project_id = :project_id
  and (:type::message_type is null or type = :type)
  and (
    :pattern::text is null
    or name ilike :pattern
    or description ilike :pattern
    or subject ilike :pattern
  );

-- name: insert :one
-- nullable: description, from_name, reply_to
insert into templates (project_id, name, description, subject, body, html, from_email, from_name, reply_to, type)
values (
  :project_id, :name, :description, :subject, :body, :html, :from_email, :from_name, :reply_to, :type
)
returning
  id, name, description, subject, body, from_email, from_name, reply_to, type, project_id, created_at, updated_at;

-- name: patch :maybe
-- nullable: name, description, subject, body, html, from_email, from_name, reply_to, type
-- Changes only what is given: concurrent changes to different fields lose nothing of each other.
update templates
set
  name        = coalesce(:name, name),
  description = case when :set_description::boolean then :description else description end,
  subject     = coalesce(:subject, subject),
  body        = coalesce(:body, body),
  html        = coalesce(:html, html),
  from_email  = coalesce(:from_email, from_email),
  from_name   = case when :set_from_name::boolean then :from_name else from_name end,
  reply_to    = case when :set_reply_to::boolean then :reply_to else reply_to end,
  type        = coalesce(:type, type),
  updated_at  = now()
where project_id = :project_id and id = :template_id
returning
  id, name, description, subject, body, from_email, from_name, reply_to, type, project_id, created_at, updated_at;

-- name: duplicate :maybe
-- A copy of a template under another name.
insert into templates (project_id, name, description, subject, body, html, from_email, from_name, reply_to, type)
select project_id, :name, description, subject, body, html, from_email, from_name, reply_to, type
from templates
where project_id = :project_id and id = :template_id
returning
  id, name, description, subject, body, from_email, from_name, reply_to, type, project_id, created_at, updated_at;

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
-- The campaigns that were made from the template, the newest first.
select id, name, status
from campaigns
where project_id = :project_id and template_id = :template_id
order by id desc;

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
