-- The log of a project's requests. A page is read from the newest to the oldest, between two ids. Filters without an index
-- look at so many rows at a time: `edge` says where that many end.

-- name: add :exec
-- nullable: rows.given_id, rows.code, rows.message, rows.errors, rows.key_kind, rows.key_id, rows.key_name
-- nullable: rows.key_hint, rows.user_id, rows.user_agent, rows.body, rows.addresses
-- Rows of projects that are being deleted are left out, and of those that are being reset what came before that.
insert into requests (
  project_id, id, given_id, method, route, path, status, ms, code, message, errors, key_kind, key_id, key_name,
  key_hint, user_id, user_agent, body, mentions, left_out
)
select
  r.project_id, r.id, r.given_id, r.method, r.route, r.path, r.status, r.ms, r.code, r.message, r.errors, r.key_kind,
  r.key_id, r.key_name, r.key_hint, r.user_id, r.user_agent, r.body,
  (
    select array_agg(mention_of(r.project_id, a.address)) from json_array_elements_text(r.addresses) as a (address)
  ),
  r.left_out
from json_to_recordset(:rows::json) as r (
  project_id uuid, id uuid, given_id uuid, method text, route text, path text, status int, ms float8, code text,
  message text, errors jsonb, key_kind text, key_id uuid, key_name text, key_hint text, user_id uuid, user_agent text,
  body text, addresses json, left_out int
)
join projects p on p.id = r.project_id and p.deleted_at is null
where not exists (select from resets x where x.project_id = r.project_id and r.id < first_id_at(x.asked_at))
on conflict do nothing;

-- name: page :many
-- nullable: method, path, key_id, key_kind
select
  r.id, r.given_id, r.method, r.route, r.path, r.status, r.ms, r.code, r.message, r.key_kind, r.key_id, r.key_name,
  r.key_hint, r.user_id, u.email as "user_email?", r.user_agent, r.left_out
from requests r
left join users u on u.id = r.user_id
where r.project_id = :project_id
  and r.id >= :since
  and r.id < :before
  and r.status >= :from_status::int
  and r.status <= :to_status::int
  and (:method::text is null or r.method = :method)
  and (:path::text is null or r.route = :path or r.path = :path)
  and (:key_id::uuid is null or r.key_id = :key_id)
  and (:key_kind::text is null or coalesce(r.key_kind, 'session') = :key_kind and r.key_id is null)
order by r.id desc
limit :limit::int;

-- name: refused :many
-- nullable: method, path, key_id, key_kind
-- The same of requests that were refused or failed: by their own index.
select
  r.id, r.given_id, r.method, r.route, r.path, r.status, r.ms, r.code, r.message, r.key_kind, r.key_id, r.key_name,
  r.key_hint, r.user_id, u.email as "user_email?", r.user_agent, r.left_out
from requests r
left join users u on u.id = r.user_id
where r.project_id = :project_id
  and r.id >= :since
  and r.id < :before
  and r.status >= 400
  and r.status >= :from_status::int
  and r.status <= :to_status::int
  and (:method::text is null or r.method = :method)
  and (:path::text is null or r.route = :path or r.path = :path)
  and (:key_id::uuid is null or r.key_id = :key_id)
  and (:key_kind::text is null or coalesce(r.key_kind, 'session') = :key_kind and r.key_id is null)
order by r.id desc
limit :limit::int;

-- name: edge :maybe
-- The last of so many rows; null if there are fewer.
select id
from requests
where project_id = :project_id and id >= :since and id < :before
order by id desc
offset :looked_at::int - 1
limit 1;

-- name: edge_of_refused :maybe
select id
from requests
where project_id = :project_id and id >= :since and id < :before and status >= 400
order by id desc
offset :looked_at::int - 1
limit 1;

-- name: by_id :maybe
-- One request, by its own id or by the one that its caller gave it: of several with that one the latest.
select
  r.id, r.given_id, r.method, r.route, r.path, r.status, r.ms, r.code, r.message, r.errors, r.key_kind, r.key_id,
  r.key_name, r.key_hint, r.user_id, u.email as "user_email?", r.user_agent, r.body, r.left_out
from requests r
left join users u on u.id = r.user_id
where r.project_id = :project_id and (r.id = :request_id or r.given_id = :request_id)
order by r.id desc
limit 1;
