-- name: queue :many
-- Jobs that are due or in progress, by task, and how long the oldest has been waiting. A job that failed waits from the
-- time of its next attempt.
select
  j.task_identifier as "task!",
  count(*) filter (where j.locked_at is null)::int as "waiting!",
  count(*) filter (where j.locked_at is not null)::int as "running!",
  coalesce(extract(epoch from :now - min(j.run_at) filter (where j.locked_at is null)), 0)::float8 as "age!"
from graphile_worker.jobs j
where j.run_at <= :now and j.attempts < j.max_attempts
group by j.task_identifier;

-- name: given_up :one
-- Jobs that failed for the last time and are kept for inspection.
select count(*)::int as "jobs!"
from graphile_worker.jobs
where attempts >= max_attempts and locked_at is null;

-- name: open_mails :many
-- Mails without a final state, by state, each counted up to `up_to`. Each state has a partial index, which only a
-- condition that names the state can use; in the order of that index nothing else is read, whatever the planner
-- estimates about their number.
select 'PENDING' as "status!", (
  select count(*)::int
  from (
    select from emails e where e.status = 'PENDING' order by e.campaign_id, e.due_at limit :up_to::int
  ) as counted
) as "mails!"
union all
select 'SENDING', (
  select count(*)::int
  from (select from emails e where e.status = 'SENDING' order by e.claimed_by limit :up_to::int) as counted
)
union all
select 'IN_DOUBT', (
  select count(*)::int
  from (select from emails e where e.status = 'IN_DOUBT' order by e.due_at limit :up_to::int) as counted
);

-- name: workers :many
-- The processes that take jobs, and how long ago each was last heard of.
select id, host, extract(epoch from now() - seen_at)::float8 as "silence!"
from workers
order by started_at;

-- name: connections :many
-- Connections of the service to this database, from all its processes, by purpose and activity.
select application_name as "pool!", coalesce(state, 'unknown') as "state!", count(*)::int as "connections!"
from pg_stat_activity
where datname = current_database() and application_name like 'postrider%'
group by 1, 2;

-- name: not_rolled_up :many
-- What the counters have in deltas, each counted to `up_to`: how far the roll-up lags behind.
select 'contacts' as "counter!", (
  select count(*)::int from (select from contact_count_deltas limit :up_to::int) as d
) as "deltas!"
union all
select 'campaigns', (select count(*)::int from (select from campaign_count_deltas limit :up_to::int) as d)
union all
select 'reputation', (select count(*)::int from (select from reputation_deltas limit :up_to::int) as d)
union all
select 'mails', (select count(*)::int from (select from mail_count_deltas limit :up_to::int) as d)
union all
select 'deliveries', (select count(*)::int from (select from delivery_hour_deltas limit :up_to::int) as d)
union all
select 'events', (select count(*)::int from (select from event_count_deltas limit :up_to::int) as d)
union all
select 'usage', (select count(*)::int from (select from usage_deltas limit :up_to::int) as d)
union all
select 'executions', (select count(*)::int from (select from execution_count_deltas limit :up_to::int) as d);
