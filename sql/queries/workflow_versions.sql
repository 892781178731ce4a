-- name: current :maybe
-- The version of a workflow's graph as it is now; without one when it was edited since the last.
select v.id as "id?", v.graph as "graph?"
from workflows w
left join workflow_versions v on v.project_id = w.project_id and v.id = w.version_id
where w.project_id = :project_id and w.id = :workflow_id;

-- name: insert :one
insert into workflow_versions (project_id, workflow_id, graph)
values (:project_id, :workflow_id, :graph)
returning id;
