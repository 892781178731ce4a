-- name: register :one
-- A process that will take jobs. `lock_id` is the advisory lock that it holds while it lives.
insert into workers (id, host, pid, seen_at)
values (:id, :host, :pid, now())
returning lock_id;

-- name: beat :maybe
-- The heartbeat. Null when this process was taken for dead and its work given away.
update workers
set seen_at = now(), pools = :pools::text[]
where id = :id
returning id;

-- name: hold_lock :one
-- Held by the session of the heartbeat: Postgres frees it when the process is gone, however it went.
select pg_try_advisory_lock(7672452, :lock_id::int) as "held!";

-- name: bury_dead :many
-- Processes that are gone: silent for 10 s with their connection closed, or silent for 30 s (frozen, or cut off).
-- They leave the table in the same transaction that settles what they held, so one survivor does it once.
delete from workers w
where w.seen_at < now() - interval '10 seconds'
  and w.id <> :self
  and (w.seen_at < now() - interval '30 seconds' or not exists (
    select
    from pg_locks l
    where l.locktype = 'advisory'
      and l.database = (select oid from pg_database where datname = current_database())
      and l.classid = 7672452
      and l.objid = w.lock_id::oid
      and l.granted
  ))
returning id, pools;

-- name: leave :exec
-- A process that ended in order.
delete from workers where id = :id;

-- name: alive :one
-- Whether any process takes jobs.
select count(*)::int as "total!" from workers where seen_at > now() - interval '30 seconds';

-- name: holds_lock :one
-- Whether anybody holds this lock; as its number is unique to the process, that is the process itself.
select exists (
  select
  from pg_locks
  where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())
    and classid = 7672452
    and objid = :lock_id::oid
    and granted
) as "held!";
