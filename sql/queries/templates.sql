-- name: by_id :maybe
select id, name, subject, html, from_email, from_name, reply_to, type
from templates
where project_id = :project_id and id = :template_id;

-- name: insert :one
-- nullable: description, from_name, reply_to
insert into templates (project_id, name, description, subject, body, html, from_email, from_name, reply_to, type)
values (
  :project_id, :name, :description, :subject, :body, :html, :from_email, :from_name, :reply_to, :type
)
returning id, name, type;
