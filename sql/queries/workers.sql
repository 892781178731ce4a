-- name: beat :one
-- The heartbeat of a process that takes jobs; the first one registers it, and so does the one after it was taken
-- for dead. `lock_id` is the advisory lock that it holds while it lives.
insert into workers as w (id, host, pid, pools, standing, captures)
values (:id, :host, :pid, :pools::text[], :standing::text[], :captures)
on conflict (id) do update
set seen_at = now(), pools = excluded.pools, standing = excluded.standing
returning lock_id;

-- name: hold_lock :exec
-- Takes the lock of this process, unless this connection has it. Postgres frees it when the process is gone, however
-- it went.
select pg_try_advisory_lock(7672452, :lock_id::int)
where not exists (
  select
  from pg_locks
  where locktype = 'advisory' and pid = pg_backend_pid() and classid = 7672452 and objid = :lock_id::oid
);

-- name: reap_dead :many
-- Dead processes: silent for 10 s with their connection closed, or silent for 30 s (frozen, or cut off). They leave the
-- table in the same transaction that settles what they held, so that one survivor does it once.
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

-- name: capturing :many
-- Where processes run that live and capture mail.
select distinct host from workers where captures and seen_at > now() - interval '15 seconds' order by host;

-- name: standing :many
-- The lanes that are stalled: for this process, or for all that take jobs.
select lane as "lane!"
from unnest(:lanes::text[]) as lane, workers w
where w.seen_at > now() - interval '30 seconds'
group by lane
having bool_and(lane = any(w.standing)) or bool_or(w.id = :self and lane = any(w.standing));

-- name: note_mail_server :one
-- Notes whether the mail server accepts connections from this process, and returns whether it accepts them from other
-- live ones.
with noted as (
  update workers
  set mail_away_since = case when :is_away::boolean then coalesce(mail_away_since, now()) end
  where id = :id
)
select exists (
  select from workers where id <> :id and mail_away_since is null and seen_at > now() - interval '15 seconds'
) as "others_reach_it!";
