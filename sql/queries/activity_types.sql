-- name: present :one
-- Which of these names events have, by the counters; whether there are events of other names, and what else the feed
-- has. The order makes each an index look-up, whatever the planner estimates about the project's share of a table.
select
  array(
    select t.name
    from event_totals_of(:project_id) t
    where t.name = any(:names::text[])
    group by t.name
    having sum(t.count) > 0
  ) as "names!",
  exists (
    select
    from event_totals_of(:project_id) t
    where t.name <> all(:names)
    group by t.name
    having sum(t.count) > 0
  ) as "is_triggered!",
  (
    select c.id
    from campaigns c
    where c.project_id = :project_id and c.scheduled_at is not null
    order by first_id_at(c.scheduled_at)
    limit 1
  ) is not null as "is_scheduled!",
  (
    select c.id
    from campaigns c
    where c.project_id = :project_id and c.sent_at is not null
    order by first_id_at(c.sent_at)
    limit 1
  ) is not null as "is_sent!",
  (select x.id from executions x where x.project_id = :project_id order by x.id limit 1) is not null as "is_started!",
  (
    select x.id
    from executions x
    where x.project_id = :project_id and x.completed_at is not null
    order by first_id_at(x.completed_at)
    limit 1
  ) is not null as "is_completed!";
