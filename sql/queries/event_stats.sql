-- Events by name, all of it read from counters. A name comes in pieces, and may come to nothing.

-- name: of_all_time :many
select t.name as "name!", sum(t.count)::float8 as "count!"
from event_totals_of(:project_id) as t
group by t.name
having sum(t.count) > 0
order by 2 desc, 1
limit :limit::int;

-- name: of_days :many
-- The days are of UTC, both among them.
select c.name as "name!", sum(c.count)::float8 as "count!"
from event_counts_of(:project_id, :first_day::text::date, :last_day::text::date) as c
group by c.name
having sum(c.count) > 0
order by 2 desc, 1
limit :limit::int;

-- name: top :many
-- The most frequent names of some days, except those that match `reserved`, and their frequency on the days before.
select
  c.name as "name!",
  sum(c.count) filter (where c.day >= :first_day::text::date)::float8 as "count!",
  coalesce(sum(c.count) filter (where c.day < :first_day::text::date), 0)::float8 as "before!"
from event_counts_of(:project_id, :first_day_before::text::date, :last_day::text::date) as c
where c.name !~ :reserved
group by c.name
having sum(c.count) filter (where c.day >= :first_day::text::date) > 0
order by 2 desc, 1
limit :limit::int;
