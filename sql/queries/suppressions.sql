-- name: list :many
-- nullable: after_id, reason, pattern
-- One page, newest first, behind the place where the cursor stands. The pattern is one of LIKE.
select id, email, reason, project_id, created_at
from suppressions
where project_id = :project_id
  and id < coalesce(:after_id::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and (:reason::suppression_reason is null or reason = :reason)
  and (:pattern::text is null or email like :pattern)
order by id desc
limit :limit::int;

-- name: list_oldest_first :many
-- nullable: after_id, reason, pattern
-- The same in the opposite order.
select id, email, reason, project_id, created_at
from suppressions
where project_id = :project_id
  and id > coalesce(:after_id::uuid, '00000000-0000-0000-0000-000000000000')
  and (:reason::suppression_reason is null or reason = :reason)
  and (:pattern::text is null or email like :pattern)
order by id
limit :limit::int;

-- name: export :many
-- The next of a whole list, in the order in which they came, up to the row `last_id`.
select id, email, reason, created_at
from suppressions
where project_id = :project_id and id > :after_id and id <= :last_id
order by id
limit :limit::int;

-- name: count :one
-- nullable: reason, pattern
-- How many addresses such a list has, counted up to `up_to`.
select count(*)::int as "total!"
from (
  select
  from suppressions
  where project_id = :project_id
    and (:reason::suppression_reason is null or reason = :reason)
    and (:pattern::text is null or email like :pattern)
  limit :up_to::int
) as counted;

-- name: among :many
-- Which of these addresses are on the list.
select a.email as "email!"
from unnest(:emails::text[]) with ordinality as a (email, position)
where exists (
  select
  from suppressions s
  where s.project_id = :project_id and s.email = a.email
)
order by a.position;

-- name: add_many :many
-- Puts addresses on the suppression lists of their projects, and returns each of them once. `rows` holds `{id,
-- project_id, email, reason}`. An existing one keeps its id, which tells it from a new one; of several reasons the
-- strongest stays. One that a reset is about to delete counts as absent. Rows are locked in one order, so that two
-- calls cannot deadlock.
insert into suppressions as s (project_id, id, email, reason)
select distinct on (r.project_id, r.email) r.project_id, r.id, r.email, r.reason
from json_to_recordset(:rows::json) as r (id uuid, project_id uuid, email text, reason suppression_reason)
order by r.project_id, r.email, r.reason desc
on conflict (project_id, email) do update
set (id, reason, created_at) = (
  select
    case when r.project_id is null then s.id else excluded.id end,
    case when r.project_id is null then greatest(s.reason, excluded.reason) else excluded.reason end,
    case when r.project_id is null then s.created_at else now() end
  from (select) as always
  left join reset_of(s) as r (project_id) on true
)
returning s.id, s.email, s.reason, s.project_id, s.created_at;

-- name: remove :exec
-- 0 when the address is not on the list.
delete from suppressions
where project_id = :project_id and email = :email;
