-- name: record :exec
-- nullable: actor_user_id, actor_name, lines.subject, lines.details
-- Lines of the log, in the order of their ids.
insert into audit (project_id, id, at, actor_kind, actor_user_id, actor_name, action, subject, details)
select l.project_id, l.id, :now, :actor_kind, :actor_user_id, :actor_name, l.action, l.subject, l.details
from jsonb_to_recordset(:lines::jsonb) as l (
  project_id uuid, id uuid, action text, subject text, details jsonb
);

-- name: list :many
-- nullable: after_id
-- The newest first, after the line `after_id`.
select id, at, actor_kind, actor_user_id, actor_name, action, subject, details
from audit
where project_id = :project_id and (:after_id::uuid is null or id < :after_id)
order by id desc
limit :limit::int;

-- name: total :one
select count(*)::int as "total!"
from audit
where project_id = :project_id;
