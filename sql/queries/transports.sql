-- name: in_use :many
-- All transports, for the processes that send: there are few.
select
  t.project_id, t.id, t.name, t.kind, t.url, t.shown_url, t.priority, t.weight, t.rate_per_second::float8 as "rate_per_second?",
  t.per_day, t.connections, t.warmup_since, p.daily_limits as "warmup_limits?", t.held_until,
  t.paused_at is not null as "is_paused!"
from transports t
left join warmup_plans p on p.project_id = t.project_id and p.id = t.warmup_plan_id
order by t.project_id, t.id;

-- name: routes :many
-- The routes of all projects that have some, and of the installation.
select project_id, document from routes;

-- name: take_days :many
-- Takes mails out of what is left of the day of each of these transports, in one order, so that two processes cannot wait
-- for each other.
select a.id as "id!", take_of_day(a.id, (:now::timestamptz at time zone 'UTC')::date, a.wanted, a.per_day) as "granted!"
from (
  select *
  from unnest(:ids::uuid[], :wanted::int[], :per_days::int[]) as u (id, wanted, per_day)
  order by u.id
) as a;

-- name: drop_old_days :exec
delete from transport_days where day < (:before::timestamptz at time zone 'UTC')::date;

-- name: hold :exec
-- No process uses this transport until then. A longer hold stays.
update transports
set held_until = :until, hold_reason = :reason
where id = :id and (held_until is null or held_until < :until);

-- name: paces :many
select transport_id, provider, rate::float8 as "rate!" from paces;

-- name: slow_down :exec
-- Half as fast as before, or as what this process has just seen where that is less; and seven tenths where it had come near
-- to what was refused before, so that the limit is known (RFC 9438). The limit is what a pace was that held mails back, and
-- not what was seen before there was one. Refusals of the same moment count once.
insert into paces as p (transport_id, provider, rate, reason, slowed_at, changed_at)
values (:transport_id, :provider, greatest(0.1, :seen::numeric / 2), :reason, :now, :now)
on conflict (transport_id, provider) do update
set
  rate         = greatest(
    0.1, least(p.rate, :seen::numeric) * case when p.rate >= p.refused_rate * 0.9 then 0.7 else 0.5 end
  ),
  refused_rate = case when p.rate <= :seen::numeric then p.rate else p.refused_rate end,
  reason       = excluded.reason,
  slowed_at    = excluded.slowed_at,
  changed_at   = excluded.changed_at
where p.slowed_at < excluded.slowed_at - interval '2 seconds';

-- name: drop_paces :exec
-- Of a transport all paces but those of the named providers and `max` others: those that were slowed last. Waits for nobody.
with over as materialized (
  select provider
  from paces
  where transport_id = :transport_id and provider <> all(:named::text[])
  order by slowed_at desc, provider
  offset :max::int
),
free as materialized (
  select p.provider
  from paces p
  join over o on o.provider = p.provider
  where p.transport_id = :transport_id
  for update of p skip locked
)
delete from paces p
using free f
where p.transport_id = :transport_id and p.provider = f.provider;

-- name: speed_up :exec
-- A quarter while the limit is not known. Then half of the way to just below it, a hundredth at a time until just above it, and
-- then a tenth: it may be higher by now. Of several processes one does it: a pace is changed once in this time.
with over as (
  delete from paces where slowed_at < :now::timestamptz - interval '1 hour'
)
update paces
set
  rate       = rate + greatest(0.1, case
    when refused_rate is null then rate * 0.25
    when rate < refused_rate * 0.95 then greatest(refused_rate * 0.95 - rate, refused_rate * 0.05) / 2
    when rate < refused_rate * 1.05 then refused_rate * 0.01
    else rate * 0.1
  end),
  changed_at = :now
where changed_at <= :now::timestamptz - interval '5 seconds' and slowed_at >= :now::timestamptz - interval '1 hour';
