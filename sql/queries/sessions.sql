-- name: insert :one
insert into sessions (user_id, created_at, expires_at, last_used_at, user_agent)
values (:user_id, :now, :expires_at, :now, :user_agent)
returning id, expires_at;

-- name: found :many
-- The owner of these sessions, and the role of each in the project that it asks for. `place` is the position among the
-- sessions asked for; an ended session has no row, and a project that the user is not a member of has no role. The members
-- of a sandbox are those of its project. Asked for every request, so that whatever was ended, revoked or disabled takes effect with the next one.
select
  w.place::int as "place!",
  s.id,
  s.user_id,
  s.created_at,
  s.expires_at,
  s.last_used_at,
  s.proven_at,
  u.email,
  u.name as "name?",
  u.email_verified_at is not null as "email_verified!",
  u.email_verified_at is not null and not u.verified_elsewhere as "proven!",
  has_two_factor(u.id) as "two_factor!",
  p.requires_two_factor as "requires_two_factor?",
  p.id as "project_id?",
  m.role as "role?",
  p.disabled_at is not null as "disabled!",
  p.disabled_reason as "disabled_reason?"
from unnest(:session_ids::uuid[], :project_ids::uuid[]) with ordinality as w (session_id, project_id, place)
join sessions s on s.id = w.session_id and s.expires_at > :now
join users u on u.id = s.user_id
left join projects p on p.id = w.project_id and p.deleted_at is null
left join memberships m on m.project_id = coalesce(p.sandbox_of, p.id) and m.user_id = s.user_id;

-- name: is_of :one
-- Whether it is a session of this user that stands.
select exists (
  select
  from sessions
  where id = :session_id and user_id = :user_id and expires_at > :now
) as "stands!";

-- name: list :many
-- The sessions of a user that stand, last used first.
select id, user_agent, created_at, last_used_at, expires_at
from sessions
where user_id = :user_id and expires_at > :now
order by last_used_at desc, id
limit :limit::int;

-- name: note_use :exec
-- Those that were ended in the meantime stay so.
update sessions
set last_used_at = greatest(last_used_at, :now)
where id = any(:session_ids::uuid[]);

-- name: note_proof :exec
update sessions
set proven_at = :now
where id = :session_id;

-- name: slide :exec
-- 0 when it was ended in the meantime.
update sessions
set expires_at = :expires_at
where id = :session_id and expires_at > :now;

-- name: end :exec
delete from sessions
where id = :session_id;

-- name: end_of_user :exec
-- nullable: except
-- All sessions of a user, or all but one. Returns how many.
delete from sessions
where user_id = :user_id and id is distinct from :except::uuid;

-- name: end_own :maybe
-- One session of a user. Null when there is none with this id.
delete from sessions
where id = :session_id and user_id = :user_id and expires_at > :now
returning id, user_agent;

-- name: purge :exec
delete from sessions
where id in (
  select id
  from sessions
  where expires_at <= :now
  order by expires_at
  limit :limit::int
);
