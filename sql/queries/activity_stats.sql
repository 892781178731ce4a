-- name: events :one
-- Every event of some days (UTC), both among them.
select coalesce(sum(c.count), 0)::float8 as "events!"
from event_counts_of(:project_id, :first_day::text::date, :last_day::text::date) as c;

-- name: executions :one
-- Every execution that began on these days.
select coalesce(sum(c.started), 0)::float8 as "executions!"
from execution_counts_of(:project_id, :first_day::text::date, :last_day::text::date) as c;

-- name: count_since :one
-- How many items the feed has from a place on; of each kind no more than `up_to` are counted.
select (
  (
    select count(*)
    from (
      select
      from events e
      where e.project_id = :project_id and e.id >= :since
      order by e.id desc
      limit :up_to::int
    ) as counted
  ) + (
    select count(*)
    from (
      select
      from executions x
      where x.project_id = :project_id and first_id_at(x.started_at) >= :since
      order by first_id_at(x.started_at) desc
      limit :up_to::int
    ) as counted
  ) + (
    select count(*)
    from (
      select
      from executions x
      where x.project_id = :project_id and x.completed_at is not null and first_id_at(x.completed_at) >= :since
      order by first_id_at(x.completed_at) desc
      limit :up_to::int
    ) as counted
  ) + (
    select count(*)
    from campaigns c
    where c.project_id = :project_id and c.sent_at is not null and first_id_at(c.sent_at) >= :since
  ) + (
    select count(*)
    from campaigns c
    where c.project_id = :project_id and c.scheduled_at is not null and first_id_at(c.scheduled_at) >= :since
  )
)::int as "count!";
