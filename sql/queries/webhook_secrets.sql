-- name: get :maybe
select webhook_secret
from projects
where id = :project_id;

-- name: make :maybe
-- Keeps the secret that is there: two who make one at once come to the same.
update projects
set webhook_secret = coalesce(webhook_secret, :webhook_secret)
where id = :project_id
returning webhook_secret as "webhook_secret!";

-- name: replace :exec
update projects
set webhook_secret = :webhook_secret, updated_at = now()
where id = :project_id;
