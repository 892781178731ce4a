-- name: allow_hashing :exec
-- Gives the rest of this transaction memory for hash tables over the events of one name. Beside an OR, Postgres looks
-- up events contact by contact when it expects the table not to fit.
select set_config('work_mem', '64MB', true);

-- name: count_matching :one
-- splice: audience = true
-- How many contacts satisfy a compiled condition.
select count(*)::int as "total!"
from contacts c
where c.project_id = :project_id and :audience;

-- name: matching :many
-- splice: audience = true
-- nullable: after_id
-- Ids of the contacts that satisfy a compiled condition, in id order, after `after_id`.
select c.id
from contacts c
where c.project_id = :project_id
  and (:after_id::uuid is null or c.id > :after_id)
  and :audience
order by c.id
limit :limit::int;
