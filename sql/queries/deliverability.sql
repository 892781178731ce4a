-- name: add :exec
-- Counts what came back, in the transaction that writes it down.
insert into delivery_hour_deltas (
  project_id, hour, sender_domain, provider, transport_id, accepted_times, deferred, bounced, refused, returned, complained,
  encrypted, unencrypted
)
select
  f.project_id, f.hour, f.sender_domain, f.provider, f.transport_id, f.accepted_times, f.deferred, f.bounced, f.refused,
  f.returned, f.complained, f.encrypted, f.unencrypted
from json_to_recordset(:figures::json) as f (
  project_id uuid, hour timestamptz, sender_domain text, provider text, transport_id uuid, accepted_times int[],
  deferred int, bounced int, refused int, returned int, complained int, encrypted int, unencrypted int
);

-- name: roll_up :exec
-- Adds up to `limit` deltas to the hours, and returns how many they were.
with taken as (
  delete from delivery_hour_deltas
  where ctid = any (array(select ctid from delivery_hour_deltas limit :limit::int))
  returning
    project_id, hour, sender_domain, provider, transport_id, accepted_times, deferred, bounced, refused, returned, complained,
    encrypted, unencrypted
),
rolled_up as (
  insert into delivery_hours as h (
    project_id, hour, sender_domain, provider, transport_id, accepted_times, deferred, bounced, refused, returned, complained,
    encrypted, unencrypted
  )
  select
    t.project_id, t.hour, t.sender_domain, t.provider, t.transport_id, sum_of_times(t.accepted_times), sum(t.deferred),
    sum(t.bounced), sum(t.refused), sum(t.returned), sum(t.complained), sum(t.encrypted), sum(t.unencrypted)
  from taken t
  join projects p on p.id = t.project_id and p.deleted_at is null
  group by t.project_id, t.hour, t.sender_domain, t.provider, t.transport_id
  order by t.project_id, t.hour, t.sender_domain, t.provider, t.transport_id
  on conflict (project_id, hour, sender_domain, provider, transport_id) do update
  set
    accepted_times = add_times(h.accepted_times, excluded.accepted_times),
    deferred       = h.deferred + excluded.deferred,
    bounced        = h.bounced + excluded.bounced,
    refused        = h.refused + excluded.refused,
    returned       = h.returned + excluded.returned,
    complained     = h.complained + excluded.complained,
    encrypted      = h.encrypted + excluded.encrypted,
    unencrypted    = h.unencrypted + excluded.unencrypted
)
select from taken;

-- name: figures :many
-- nullable: provider, sender_domain, transport_id
-- What was counted of a project, by what is asked for and by the hour or day (UTC) in which it happened; the row without a
-- bucket is the sum of each group. Filters that are null let everything through.
with counted as (
  select
    case :group_by::text when 'provider' then f.provider when 'domain' then f.sender_domain else f.transport_id::text end as "group",
    date_trunc(:bucket::text, f.hour, 'UTC') as bucket,
    sum_of_times(f.accepted_times) as accepted_times,
    sum(f.deferred) as deferred,
    sum(f.bounced) as bounced,
    sum(f.refused) as refused,
    sum(f.returned) as returned,
    sum(f.complained) as complained,
    sum(f.encrypted) as encrypted,
    sum(f.unencrypted) as unencrypted
  from delivery_hours_of(:project_id, :since, :until) as f
  where (:provider::text is null or f.provider = :provider)
    and (:sender_domain::text is null or f.sender_domain = :sender_domain)
    and (:transport_id::uuid is null or f.transport_id = :transport_id)
  group by 1, 2
)
select
  c."group" as "group?",
  c.bucket as "bucket?",
  sum_of_times(c.accepted_times) as "accepted_times!",
  coalesce(sum(c.deferred), 0)::float8 as "deferred!",
  coalesce(sum(c.bounced), 0)::float8 as "bounced!",
  coalesce(sum(c.refused), 0)::float8 as "refused!",
  coalesce(sum(c.returned), 0)::float8 as "returned!",
  coalesce(sum(c.complained), 0)::float8 as "complained!",
  coalesce(sum(c.encrypted), 0)::float8 as "encrypted!",
  coalesce(sum(c.unencrypted), 0)::float8 as "unencrypted!"
from counted c
group by grouping sets ((c."group"), (c.bucket), ())
order by c."group", c.bucket;

-- name: drop_old :exec
-- Deletes some of the hours before that time.
delete from delivery_hours
where ctid = any (array(
  select ctid
  from delivery_hours
  where hour < :before
  order by hour
  limit :limit::int
));

-- name: drop_alerts :exec
-- Deletes some of the alerts that were closed before that time.
delete from deliverability_alerts
where ctid = any (array(select ctid from deliverability_alerts where closed_at < :before limit :limit::int));

-- name: transport_names :many
-- The transports that a project may have sent by.
select id, name
from transports
where project_id in (:project_id, :installation_id);

-- name: busiest_day :maybe
-- The day (UTC) on which one of these providers accepted the most mails from a domain.
select
  f.provider as "provider!",
  to_char(date_trunc('day', f.hour, 'UTC') at time zone 'UTC', 'YYYY-MM-DD') as "date!",
  (select sum(n) from unnest(sum_of_times(f.accepted_times)) as t (n))::float8 as "mails!"
from delivery_hours_of(:project_id, :since, :until) as f
where f.sender_domain = :sender_domain and f.provider = any(:providers::text[])
group by f.provider, date_trunc('day', f.hour, 'UTC')
order by 3 desc
limit 1;
