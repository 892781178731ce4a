-- name: database :one
-- What kind of server this is, and how many connections it has left. Works on an empty database too.
select
  current_setting('server_version') as "version!",
  current_setting('server_version_num')::int as "version_number!",
  pg_is_in_recovery() as "is_replica!",
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    as "max_connections!",
  (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as "connections!";

-- name: clock :one
select clock_timestamp() as "now!";

-- name: migrations :many
-- The migrations that were applied.
select name from migrations order by name;

-- name: domains :many
-- The domains of all projects, by name.
select
  d.domain, p.name as project_name, d.status, d.verified_at, d.return_path, d.dkim_selector, d.dkim_public_key
from domains d
join projects p on p.id = d.project_id
order by d.domain, d.project_id
limit :limit::int;
