-- name: limit_time :one
-- Ends any statement of this transaction that takes longer, with SQLSTATE 57014.
select set_config('statement_timeout', :ms::text, true) as "timeout!";

-- name: hold_number :exec
-- Until the session ends, or lets go of it.
select pg_advisory_lock(7672453, :number::int);

-- name: sees_number :one
-- Whether a session of this very database holds it.
select exists (
  select
  from pg_locks
  where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())
    and classid = 7672453
    and objid = :number::int::oid
) as "seen!";

-- name: drop_number :exec
select pg_advisory_unlock(7672453, :number::int);
