-- name: list :many
-- The days from `from` to `until` on which contacts came or went.
select day, sum(created)::int as "created!", sum(deleted)::int as "deleted!"
from (
  select day, created, deleted
  from contact_days
  where project_id = :project_id and day between :from and :until
  union all
  select day, created, deleted
  from contact_day_deltas
  where project_id = :project_id and day between :from and :until
) as counted
group by day
order by day;

-- name: grown_since :one
-- By how many the contacts have grown after a day.
select coalesce(sum(created - deleted), 0)::int as "grown!"
from (
  select created, deleted from contact_days where project_id = :project_id and day > :day
  union all
  select created, deleted from contact_day_deltas where project_id = :project_id and day > :day
) as counted;

-- name: events :many
-- How often each of these events happened on each day: from counters.
select c.day, c.name, c.count::int as "count!"
from event_counts_of(:project_id, :from::date, :until::date) as c
where c.name = any(:names::text[]);

-- name: roll_up :exec
-- Adds up to `limit` deltas to the days.
with taken as (
  delete from contact_day_deltas
  where ctid = any (array(
    select ctid
    from contact_day_deltas
    limit :limit::int
  ))
  returning project_id, day, created, deleted
),
summed as (
  select t.project_id, t.day, sum(t.created) as created, sum(t.deleted) as deleted
  from taken t
  join projects p on p.id = t.project_id and p.deleted_at is null
  group by 1, 2
),
rolled_up as (
  insert into contact_days as c (project_id, day, created, deleted)
  select project_id, day, created, deleted
  from summed
  order by 1, 2
  on conflict (project_id, day) do update
  set created = c.created + excluded.created, deleted = c.deleted + excluded.deleted
)
select from taken;
