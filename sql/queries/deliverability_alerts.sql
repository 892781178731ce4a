-- name: judge :exec
-- Opens an alert for each rate that is above its level, for each sender domain and, where it is not above it as a whole, at each
-- mailbox provider; notes those that are still bad, and closes those that have not been for an hour. Bounces and deferrals
-- are judged over the hours from `recent` on, complaints from `since` on: they come for days after a mail, so they are of the
-- mails that were accepted since then, or on the busiest day (UTC) from `busiest_since` on, where those were more. Levels are
-- in mails of a thousand.
with hours as (
  select
    project_id, sender_domain, provider, hour >= :recent as is_recent, sum_of_times(accepted_times) as times,
    sum(deferred) as deferred, sum(bounced) as bounced, sum(refused) as refused, sum(returned) as returned,
    sum(complained) as complained
  from delivery_hours
  where hour >= :since
  group by 1, 2, 3, 4
),
ends as (
  select h.*, (select sum(n) from unnest(h.times) as t (n)) as accepted
  from hours h
),
rated as (
  select
    project_id,
    sender_domain,
    coalesce(provider, '') as provider,
    coalesce(sum(deferred) filter (where is_recent), 0) as deferred,
    coalesce(sum(bounced + returned) filter (where is_recent), 0) as bounced,
    coalesce(sum(accepted + bounced + refused) filter (where is_recent), 0) as mails,
    sum(complained) as complained,
    sum(accepted) as accepted
  from ends
  group by grouping sets ((project_id, sender_domain), (project_id, sender_domain, provider))
),
-- Of the few whose rate is high by the mails since then: others need no look at so many hours, as more mails only lower it.
weighed as (
  select r.project_id, r.sender_domain, r.provider, r.deferred, r.bounced, r.mails, r.complained, greatest(r.accepted, b.accepted) as accepted
  from rated r
  left join lateral (
    select sum(h.accepted) as accepted
    from (
      select date_trunc('day', d.hour, 'UTC') as day, (select sum(n) from unnest(d.accepted_times) as t (n)) as accepted
      from delivery_hours d
      where r.complained > 0
        and r.complained * 5000 > r.accepted * :complaints::int * 4
        and d.project_id = r.project_id
        and d.hour >= :busiest_since
        and d.sender_domain = r.sender_domain
        and (r.provider = '' or d.provider = r.provider)
    ) as h
    group by h.day
    order by 1 desc
    limit 1
  ) as b on true
),
judged as materialized (
  select
    r.project_id, r.sender_domain, r.provider, k.kind, k.count, k.total,
    k.count >= :minimum_count::int and k.count * 1000 > k.total * k.level as is_bad,
    k.count * 5000 > k.total * k.level * 4 as is_near
  from weighed r
  cross join lateral (
    values
      ('BOUNCES', r.bounced, r.mails, :bounces::int),
      ('COMPLAINTS', r.complained, r.accepted, :complaints::int),
      ('DEFERRALS', r.deferred, r.mails + r.deferred, :deferrals::int)
  ) as k (kind, count, total, level)
  where k.total >= :minimum_mails::int and k.count > 0
),
still_bad as (
  update deliverability_alerts a
  set
    bad_at = :now,
    count  = case when j.is_bad then j.count else a.count end,
    total  = case when j.is_bad then j.total else a.total end
  from judged j
  where a.closed_at is null
    and j.is_near
    and (a.project_id, a.kind, a.sender_domain, a.provider) = (j.project_id, j.kind, j.sender_domain, j.provider)
),
over as (
  update deliverability_alerts a
  set closed_at = :now
  where a.closed_at is null
    and a.bad_at <= :over_since
    and not exists (
      select
      from judged j
      where j.is_near
        and (a.project_id, a.kind, a.sender_domain, a.provider) = (j.project_id, j.kind, j.sender_domain, j.provider)
    )
)
insert into deliverability_alerts (project_id, kind, sender_domain, provider, count, total, opened_at, bad_at)
select j.project_id, j.kind, j.sender_domain, j.provider, j.count, j.total, :now, :now
from judged j
join projects p on p.id = j.project_id and p.deleted_at is null
where j.is_bad
  and (
    j.provider = ''
    or not exists (
      select
      from judged w
      where w.is_bad and w.provider = '' and (w.project_id, w.kind, w.sender_domain) = (j.project_id, j.kind, j.sender_domain)
    )
  )
on conflict (project_id, kind, sender_domain, provider) where closed_at is null do nothing;

-- name: untold :many
-- Projects with open alerts that nobody has been told of, unless they were told of others since that time.
select distinct a.project_id
from deliverability_alerts a
where a.closed_at is null
  and a.told_at is null
  and not exists (
    select from deliverability_alerts t where t.project_id = a.project_id and t.told_at > :told_since
  );

-- name: tell :many
-- Takes those of one project. Of two that take them one gets none.
update deliverability_alerts
set told_at = :now
where project_id = :project_id and closed_at is null and told_at is null
returning kind, sender_domain, provider, count, total;

-- name: list :many
-- nullable: is_open
-- The open ones first, each the newest first.
select id, kind, sender_domain, provider, count, total, opened_at, closed_at
from deliverability_alerts
where project_id = :project_id and (:is_open::boolean is null or (closed_at is null) = :is_open)
order by closed_at is not null, id desc
limit :limit::int;

-- name: count_open :many
-- Those of all projects, by kind; what a test in a sandbox has caused is no reason to wake an operator.
select k.kind as "kind!", count(a.id)::int as "alerts!", count(distinct a.project_id)::int as "projects!"
from unnest(array['BOUNCES', 'COMPLAINTS', 'DEFERRALS']) as k (kind)
left join (deliverability_alerts a join projects p on p.id = a.project_id and p.sandbox_of is null)
  on a.kind = k.kind and a.closed_at is null
group by k.kind
order by k.kind;
