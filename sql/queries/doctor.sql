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
-- The domains of all projects, by name; reserved names, which cannot be looked up, come last.
select
  d.domain, p.name as project_name, d.status, d.verified_at, d.return_path, d.dkim_selector, d.dkim_public_key
from domains d
join projects p on p.id = d.project_id
order by d.domain ~ :reserved, d.domain, d.project_id
limit :limit::int;

-- name: dkim_keys :many
-- The sealed keys that sign mails, of all projects, behind one domain in the order of their ids.
select project_id, id, domain, dkim_private_key as "dkim_private_key!"
from domains
where status = 'VERIFIED'
  and verified_at is not null
  and dkim_private_key is not null
  and (project_id, id) > (:after_project_id::uuid, :after_id::uuid)
order by project_id, id
limit :limit::int;

-- name: takes_notifications :one
-- Whether one came by SNS within the days that they are remembered.
select exists (select from webhook_receipts where source = 'sns') as "has_come!";

-- name: held_campaigns :many
-- The campaigns of disabled projects that continue as soon as their project is enabled.
select p.id as project_id, p.name as project_name, count(*)::int as "total!"
from projects p
join campaigns c on c.project_id = p.id
where p.disabled_at is not null and p.sandbox_of is null and c.status in ('SCHEDULED', 'SENDING') and c.finished_at is null
group by p.id
order by p.id
limit :limit::int;

-- name: bounds :one
-- Whether statements of this connection end by themselves, and whose connection it is.
select current_user::text as "role!", current_setting('statement_timeout') <> '0' as "is_bounded!";

-- name: captured :one
-- How many mails wait to be released, up to a bound.
select count(*)::int as "total!"
from (select from emails where captured_at is not null limit :limit::int) as captured;
