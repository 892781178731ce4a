-- name: list :many
-- The partitions of the events that hold a month, oldest first.
select c.relname::text as "name!", to_date(right(c.relname, 7), 'YYYY_MM') as "month!"
from pg_inherits i
join pg_class c on c.oid = i.inhrelid
where i.inhparent = 'events'::regclass and c.relname ~ '^events_\d{4}_\d{2}$'
order by c.relname;

-- name: stray_months :many
-- The months, among these, that have events in the default partition.
select distinct date_trunc('month', time_of_id(id) at time zone 'UTC')::date as "month!"
from events_default
where id >= first_id_at(:since) and id < first_id_at(:until)
order by 1;

-- name: bound :exec
-- Limits the time of every statement of this transaction.
select set_config('statement_timeout', :timeout_ms::int::text, true);

-- name: make :one
-- Makes the partition of a month, with what the default partition has of it. False when it is there.
select make_events_partition(:month::date) as "is_made!";

-- name: drop :one
-- False when there is no such partition.
select drop_events_partition(:name) as "is_dropped!";

-- name: growth :one
-- About how many events there are, and how many there were when Postgres last analyzed all of them together: it does so
-- for each partition, but not for the whole.
select
  (
    select coalesce(sum(greatest(c.reltuples, s.n_live_tup, 0)), 0)
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    left join pg_stat_user_tables s on s.relid = c.oid
    where i.inhparent = 'events'::regclass
  )::float8 as "events!",
  (select greatest(reltuples, 0) from pg_class where oid = 'events'::regclass)::float8 as "analyzed!";

-- name: analyze :exec
analyze (skip_locked) events;

-- name: sizes :many
-- The tables that grow with time, events by partition: how many rows, as Postgres estimates it, and how many bytes with
-- indexes and TOAST.
select
  c.relname::text as "table!",
  replace(substring(c.relname from '^events_(\d{4}_\d{2})$'), '_', '-') as "month?",
  greatest(case when c.reltuples < 0 then s.n_live_tup else c.reltuples end, 0)::float8 as "rows!",
  pg_total_relation_size(c.oid)::float8 as "bytes!"
from pg_class c
left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = 'events'::regclass
left join pg_stat_user_tables s on s.relid = c.oid
where i.inhparent is not null
  or c.oid = any(array[
    'emails', 'contents', 'attachments', 'event_counts', 'event_count_deltas', 'event_totals', 'mail_counts',
    'mail_count_deltas', 'executions', 'step_executions'
  ]::regclass[])
order by i.inhparent is null, c.relname;
