-- name: verified :maybe
-- The domain, when this project may send from it.
select domain
from domains
where project_id = :project_id and domain = :domain and status = 'VERIFIED';

-- name: add_verified :one
-- For the operator and the first start: a domain that is trusted without a look at the DNS.
insert into domains (project_id, domain, status)
values (:project_id, :domain, 'VERIFIED')
on conflict (project_id, domain) do update
set status = 'VERIFIED', updated_at = now()
returning id, domain;
