-- Deletes the events of one name, batch by batch, each a commit of its own.

-- name: newest :maybe
-- All that is recorded of the name now is not after this one.
select e.id
from events e
where e.project_id = :project_id and e.name = :name
order by e.id desc
limit 1;

-- name: count :one
-- How many there are, up to a limit, from the index alone.
select count(*)::int as "events!"
from (
  select
  from events e
  where e.project_id = :project_id and e.name = :name and e.id <= :up_to
  limit :limit::int
) as counted;

-- name: counted :one
-- How many there are by the counters, without days whose events may have expired.
select coalesce(sum(c.count), 0)::float8 as "events!"
from event_counts_of(
  :project_id,
  coalesce((select (x.until at time zone 'UTC')::date from expired x where x.kind = 'events'), '-infinity'),
  'infinity'
) as c
where c.name = :name;

-- name: read_by_index :exec
-- For the rest of this transaction, whatever the planner estimates about the tables.
select set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true);

-- name: remove :one
-- Looks at the next events of the name, in the order of their ids, and deletes those that nobody else has deleted yet:
-- starting from the first id each time would mean passing all dead rows again. `last_id` is how far it got. The
-- counters follow by the trigger of the table.
with page as materialized (
  select e.id
  from events e
  where e.project_id = :project_id and e.name = :name and e.id > :after and e.id <= :up_to
  order by e.id
  limit :limit::int
),
gone as (
  delete from events
  where project_id = :project_id and id = any (array(select id from page))
  returning id
)
select
  (select count(*) from gone)::int as "gone!",
  (select count(*) from page)::int as "looked!",
  (select id from page order by id desc limit 1) as "last_id?";

-- name: forget :exec
-- Removes what is still counted under the name on days whose events have expired, because nothing else would. Events
-- that do still exist stay counted.
insert into event_count_deltas (project_id, day, name, count)
select :project_id, s.day, :name, sum(s.count)
from (
  select (e.created_at at time zone 'UTC')::date as day, 1 as count
  from expired x
  cross join lateral (
    select e.created_at
    from events e
    where e.project_id = :project_id
      and e.name = :name
      and e.id < first_id_at(x.until + interval '2 days')
      and (e.created_at at time zone 'UTC')::date <= (x.until at time zone 'UTC')::date
    offset 0
  ) as e
  where x.kind = 'events'
  union all
  select c.day, -c.count
  from expired x
  cross join lateral event_counts_of(:project_id, '-infinity', (x.until at time zone 'UTC')::date) as c
  where x.kind = 'events' and c.name = :name
) as s
group by s.day
having sum(s.count) <> 0;
