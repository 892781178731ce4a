-- name: get :maybe
select webhook_secret
from projects
where id = :project_id;

-- name: make :maybe
-- Keeps the existing secret: concurrent calls agree on one.
update projects
set webhook_secret = coalesce(webhook_secret, :webhook_secret)
where id = :project_id
returning webhook_secret as "webhook_secret!";

-- name: replace :exec
update projects
set webhook_secret = :webhook_secret, updated_at = now()
where id = :project_id;
