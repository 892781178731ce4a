-- Rows that change are found, locked and checked first, and then changed by their keys alone: with the condition once more the
-- planner reads everything that waits for each of them, where its statistics are of a time when nothing did.

-- name: recipients :many
-- The recipient domains of those of these mails that are still to be sent, but for those that wait apart: they come back by
-- themselves, and those whose time has not come. By their keys, as in `settle_and_claim`.
select a.project_id as "project_id!", a.id as "id!", recipient_domain(m.address) as "domain!", m.content_id as "content_id?"
from unnest(:project_ids::uuid[], :ids::uuid[]) as a (project_id, id)
cross join lateral (
  select e.address, e.content_id
  from emails e
  where e.project_id = a.project_id
    and e.id = a.id
    and e.status::text = 'PENDING'
    and e.due_at < 'infinity'
    and (e.scheduled_for is null or e.scheduled_for <= :now::timestamptz + interval '2 seconds')
  limit 1
) as m;

-- name: set_apart :exec
-- Mails whose domain has no capacity wait apart, without a job, until `come_back` fetches them. For a domain that
-- accepts no mail, one of `failing`, this starts the day in which the mail is retried.
update emails e
set
  due_at     = 'infinity',
  claimed_by = null,
  tried_at   = case
    when recipient_domain(e.address) = any(:failing::text[]) then coalesce(e.tried_at, :now)
    else e.tried_at
  end
where (e.project_id, e.id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[]))
  and e.status::text = 'PENDING'
  and (e.scheduled_for is null or e.scheduled_for <= :now::timestamptz + interval '2 seconds');

-- name: come_back :many
-- Fetches mails that wait apart, up to `counts` for each of these domains: single mails first, then those that were
-- tried first (a greylisting server must see the same mail again), then the oldest; and `lasts` from the other end, so
-- that it is not always the same mails that try a domain. The row says who has fetched it, until it is claimed.
with asked as materialized (
  select * from unnest(:domains::text[], :counts::int[], :lasts::int[]) as d (domain, first, last)
),
firsts as materialized (
  select w.project_id, w.id
  from asked d
  cross join lateral (
    select e.project_id, e.id
    from emails e
    where e.status = 'PENDING' and e.due_at = 'infinity' and recipient_domain(e.address) = d.domain
    order by e.campaign_id is not null, e.tried_at, e.id
    limit d.first
    for update skip locked
  ) as w
),
lasts as materialized (
  select w.project_id, w.id
  from asked d
  cross join lateral (
    select e.project_id, e.id
    from emails e
    where e.status = 'PENDING' and e.due_at = 'infinity' and recipient_domain(e.address) = d.domain
    order by e.campaign_id is not null desc, e.tried_at desc, e.id desc
    limit d.last
    for update skip locked
  ) as w
)
update emails e
set due_at = :now, claimed_by = :worker_id
from (select project_id, id from firsts union select project_id, id from lasts) as c
where e.project_id = c.project_id and e.id = c.id
returning e.project_id, e.id, e.campaign_id, e.content_id, recipient_domain(e.address) as "domain!";

-- name: return_fetched :exec
-- nullable: before
-- What these processes have fetched and not begun to send waits apart again: they are gone, or do not know that they have it. Not
-- what they have `kept`, or fetched since `before`. It has no job, but for what was given another time: that comes by itself. What
-- nobody may send, as of a disabled project, is let go of: apart it would be fetched again and again, before what is behind it.
-- The sweep of overdue mails brings it.
with fetched as materialized (
  select e.project_id, e.id
  from emails e
  where e.status = 'PENDING'
    and e.claimed_by = any(:worker_ids::uuid[])
    and e.due_at < coalesce(:before::timestamptz, 'infinity')
    and e.id <> all (:kept::uuid[])
    and (e.scheduled_for is null or e.scheduled_for <= :now::timestamptz + interval '2 seconds')
  for update skip locked
)
update emails e
set
  claimed_by = null,
  due_at     = case
    when exists (select from projects p where p.id = e.project_id and p.disabled_at is null)
      and not exists (select from reset_of(e))
    then 'infinity'
    else e.due_at
  end
from fetched f
where e.project_id = f.project_id and e.id = f.id;

-- name: let_go :exec
-- Mails that this process has fetched, and that have a job now.
update emails e
set claimed_by = null
where (e.project_id, e.id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[]))
  and e.claimed_by = :worker_id
  and e.status::text = 'PENDING';

-- name: apart_domains :many
-- Domains behind this one for which mails wait apart, in order; each costs one look into the index.
with recursive found as (
  (
    select recipient_domain(e.address) as domain
    from emails e
    where e.status = 'PENDING' and e.due_at = 'infinity' and recipient_domain(e.address) > :after
    order by recipient_domain(e.address)
    limit 1
  )
  union all
  select (
    select recipient_domain(e.address)
    from emails e
    where e.status = 'PENDING' and e.due_at = 'infinity' and recipient_domain(e.address) > f.domain
    order by recipient_domain(e.address)
    limit 1
  )
  from found f
  where f.domain is not null
)
select domain as "domain!" from found where domain is not null limit :limit::int;

-- name: begin_apart :exec
-- Mails that were sent to wait apart before it was known that their domain accepts none: from now on they are retried for a day.
with waiting as materialized (
  select e.project_id, e.id
  from emails e
  where e.status = 'PENDING'
    and e.due_at = 'infinity'
    and recipient_domain(e.address) = :domain
    and e.tried_at is null
  limit :limit::int
  for update skip locked
)
update emails e
set tried_at = :now
from waiting w
where e.project_id = w.project_id and e.id = w.id;

-- name: give_up_apart :exec
-- Ends mails that have waited apart since `before` for a domain that accepts no mail.
with old as materialized (
  select e.project_id, e.id
  from emails e
  where e.status = 'PENDING'
    and e.due_at = 'infinity'
    and recipient_domain(e.address) = :domain
    and e.tried_at < :before
  limit :limit::int
  for update skip locked
)
update emails e
set status = 'FAILED', due_at = :now, error = :error, data = null
from old o
where e.project_id = o.project_id and e.id = o.id;
