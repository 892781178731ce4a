-- name: receivers :many
-- The projects that these domains are verified for. Several may have the same one: each has shown that it is theirs.
select project_id, domain
from domains
where domain = any(:domains::text[]) and status = 'VERIFIED'
order by project_id, domain;
