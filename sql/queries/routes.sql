-- Routes as people see and change them.

-- name: get :maybe
select document, edited_by, updated_at from routes where project_id = :project_id;

-- name: put :exec
insert into routes (project_id, document, edited_by, updated_at)
values (:project_id, :document, :edited_by, :now)
on conflict (project_id) do update
set document = excluded.document, edited_by = excluded.edited_by, updated_at = excluded.updated_at;

-- name: naming :many
-- The documents that contain this part, such as a rule with a certain transport. There are few documents.
select project_id, document from routes where document @> :part::jsonb order by project_id;
