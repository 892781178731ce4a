-- Each address is looked up by itself. Postgres believes that a project is small which grows quickly, and would read all of
-- it: the range of one address and its order leave it nothing but the index on addresses.

-- name: among :many
-- Which of these addresses belong to contacts.
select c.email
from unnest(:emails::text[]) as r (email)
cross join lateral (
  select email
  from contacts
  where project_id = :project_id and email between r.email and r.email
  order by email
  limit 1
) as c;

-- name: held_among :many
-- Which of these addresses belong to contacts that somebody else has locked now. It waits for nobody.
with free as materialized (
  select c.email
  from (select unnest(:emails::text[]) as email order by email) as r
  cross join lateral (
    select email
    from contacts
    where project_id = :project_id and email between r.email and r.email
    order by email
    limit 1
    for no key update skip locked
  ) as c
)
select c.email
from unnest(:emails::text[]) as r (email)
cross join lateral (
  select email
  from contacts
  where project_id = :project_id and email between r.email and r.email
  order by email
  limit 1
) as c
where c.email not in (select email from free);

-- name: opted_out :many
-- Which of these addresses belong to contacts who do not want mail any more.
select c.email
from unnest(:emails::text[]) as r (email)
cross join lateral (
  select email, opted_out_at
  from contacts
  where project_id = :project_id and email between r.email and r.email
  order by email
  limit 1
) as c
where c.opted_out_at is not null;
