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

-- name: by_day :many
-- The most frequent names of all time: how often each was recorded on which of these days, as their places among them, and
-- the id of its last event. Each name is looked up by an index, whatever the planner estimates: a project may have ten
-- times as many. The last event is looked for from the last day on that has a count, which is in one partition or two.
with named as materialized (
  select t.name, sum(t.count) as total
  from event_totals_of(:project_id) as t
  group by t.name
  having sum(t.count) > 0
  order by 2 desc, 1
  limit :limit::int
),
fresh as materialized (
  select d.name, d.day, sum(d.count) as count
  from event_count_deltas d
  where d.project_id = :project_id
  group by d.name, d.day
),
counted as (
  select s.name, array_agg(s.place) as places, array_agg(s.count) as counts
  from (
    select c.name, c.day - :first_day::text::date as place, sum(c.count)::float8 as count
    from (
      select n.name, own.day, own.count
      from named n
      cross join lateral (
        select c.day, c.count
        from event_counts c
        where c.project_id = :project_id
          and c.name = n.name
          and c.day between :first_day::text::date and :last_day::text::date
        offset 0
      ) as own
      union all
      select f.name, f.day, f.count
      from fresh f
      where f.day between :first_day::text::date and :last_day::text::date
    ) as c
    group by c.name, c.day
  ) as s
  where s.count > 0
  group by s.name
),
last_days as (
  select n.name, greatest(own.day, max(f.day)) as day
  from named n
  left join lateral (
    select c.day
    from event_counts c
    where c.project_id = :project_id and c.name = n.name and c.count > 0
    order by c.day desc
    limit 1
  ) as own on true
  left join fresh f on f.name = n.name and f.count > 0
  group by n.name, own.day
)
select
  n.name as "name!",
  n.total::float8 as "total!",
  coalesce(c.places, '{}') as "places!",
  coalesce(c.counts, '{}') as "counts!",
  newest.id as "newest_id?"
from named n
join last_days l on l.name = n.name
left join counted c on c.name = n.name
left join lateral (
  select e.id
  from events e
  where e.project_id = :project_id
    and e.name = n.name
    and e.id >= first_id_at((l.day - 1)::timestamp at time zone 'UTC')
  order by e.id desc
  limit 1
) as newest on true
order by n.total desc, n.name;
