-- name: standing :one
-- Whether a project has contacts, and whether those of the demo are among them.
select
  exists (select from contacts c where c.project_id = :project_id) as "has_contacts!",
  exists (select from contacts c where c.project_id = :project_id and c.data ? 'customerNumber') as "has_demo!";

-- name: project_named :maybe
-- The oldest project of this name.
select id
from projects
where name = :name and deleted_at is null and sandbox_of is null
order by id
limit 1;

-- name: add_contacts :exec
-- Customers of a shop: a third is older than 90 days, the others came in growing numbers since, fewer of them at
-- weekends. Whatever is drawn is a hash of the number of the contact and of the seed, so that it is the same each time.
-- `places` holds `{country, city, locale}`.
with place as materialized (
  select row_number() over () as n, r.*
  from json_to_recordset(:places::json) as r (country text, city text, locale text)
),
drawn as materialized (
  select
    n,
    (hashint8extended(n, :seed::int::bigint + 1) & 1048575) / 1048576::float8 as age,
    (hashint8extended(n, :seed::int::bigint + 2) & 1048575) / 1048576::float8 as hour,
    (hashint8extended(n, :seed::int::bigint + 3) & 1048575) / 1048576::float8 as late,
    (hashint8extended(n, :seed::int::bigint + 4) & 1048575) / 1048576::float8 as weekend,
    (hashint8extended(n, :seed::int::bigint + 5) & 1048575) / 1048576::float8 as plan,
    (hashint8extended(n, :seed::int::bigint + 6) & 1048575) / 1048576::float8 as leaves,
    (hashint8extended(n, :seed::int::bigint + 7) & 1048575) / 1048576::float8 as left_after,
    (hashint8extended(n, :seed::int::bigint + 8) & 1048575) / 1048576::float8 as birthday,
    (hashint8extended(n, :seed::int::bigint + 9) & 1048575) / 1048576::float8 as source,
    (:first_names::text[])[1 + (hashint8extended(n, :seed::int::bigint + 10) & 1048575) % cardinality(:first_names::text[])] as first_name,
    (:last_names::text[])[1 + (hashint8extended(n, :seed::int::bigint + 11) & 1048575) % cardinality(:last_names::text[])] as last_name,
    1 + (hashint8extended(n, :seed::int::bigint + 12) & 1048575) % (select count(*) from place) as place
  from generate_series(1, :contacts::int) as n
),
dated as (
  select
    d.*,
    date_trunc('day', :now::timestamptz - interval '1 day' * case
      when d.age < 0.32 then 90 + 400 * d.age
      else 90 * (1 - sqrt((d.age - 0.32) / 0.68))
    end) as day
  from drawn d
),
timed as (
  select
    d.*,
    least(
      d.day + interval '6 hours' + interval '16 hours' * (d.hour + d.late) / 2
        - case when extract(isodow from d.day) >= 6 and d.weekend < 0.55 then interval '3 days' else interval '0' end,
      :now::timestamptz - interval '1 hour' * (0.2 + 8 * d.late)
    ) as at
  from dated d
)
insert into contacts (project_id, id, email, subscribed, opted_out_at, data, created_at, updated_at)
select
  :project_id,
  (
    lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0') || '7' || substr(h.hash, 1, 3) || '8'
      || substr(h.hash, 4, 15)
  )::uuid,
  translate(lower(t.first_name || '.' || t.last_name), 'ëäöüéèñßíóáåøçłşêúý ''', 'eaoueensioaaoclseuy') || t.n
    || '@' || (array['example.com', 'example.org', 'example.net', 'mail.example', 'post.example'])[1 + t.n % 5],
  t.leaves >= 0.085,
  case when t.leaves < 0.085 then t.at + (:now::timestamptz - t.at) * t.left_after end,
  jsonb_strip_nulls(jsonb_build_object(
    'customerNumber', 'C-' || 100000 + t.n,
    'firstName', t.first_name,
    'lastName', t.last_name,
    'country', p.country,
    'locale', p.locale,
    'address', jsonb_build_object('city', p.city, 'country', p.country),
    'plan', case when t.plan < 0.68 then 'free' when t.plan < 0.92 then 'plus' else 'pro' end,
    'source', (array['search', 'newsletter', 'instagram', 'friend', 'store'])[1 + floor(t.source * t.source * 5)::int],
    'acceptsSms', t.birthday < 0.4,
    'birthday', case
      when t.birthday > 0.45 then to_char(date '1955-01-01' + (t.birthday * 18000)::int, 'YYYY-MM-DD')
    end,
    'trialEnds', case
      when t.plan >= 0.92 and t.at > :now::timestamptz - interval '30 days'
        then to_char(t.at + interval '30 days', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    end,
    'orders', 0,
    'lifetimeValue', 0,
    'tags', case when t.plan >= 0.97 then '["vip", "wholesale"]'::jsonb when t.plan >= 0.92 then '["vip"]' end
  )),
  t.at,
  t.at
from timed t
join place p on p.n = t.place
cross join lateral (select md5('contact ' || t.n || ' ' || :seed::int::bigint) as hash) as h
order by t.at;

-- name: add_events :exec
-- What the customers did in the last 90 days: visits, each of which may end at any step of the way to an order.
with visit as materialized (
  select
    c.id as contact_id, c.email, k,
    greatest(c.created_at + interval '2 minutes' * k, least(
      date_trunc('day', s.since + (:now::timestamptz - s.since) * d.day)
        + interval '7 hours' + interval '15 hours' * (d.hour + d.late) / 2,
      :now::timestamptz - interval '1 hour' * (0.1 + 6 * d.late)
    )) as at,
    d.way, d.item, d.late, d.amount
  from contacts c
  cross join lateral (select greatest(c.created_at, :now::timestamptz - interval '90 days') as since) as s
  cross join lateral (
    select (hashtextextended(c.email, :seed::int::bigint + 20) & 1048575) / 1048576::float8 as zeal
  ) as z
  cross join lateral generate_series(1, 1 + floor(4 * z.zeal * z.zeal)::int) as k
  cross join lateral (
    select
      (hashtextextended(c.email, :seed::int::bigint + 100 * k + 21) & 1048575) / 1048576::float8 as day,
      (hashtextextended(c.email, :seed::int::bigint + 100 * k + 22) & 1048575) / 1048576::float8 as hour,
      (hashtextextended(c.email, :seed::int::bigint + 100 * k + 23) & 1048575) / 1048576::float8 as late,
      (hashtextextended(c.email, :seed::int::bigint + 100 * k + 24) & 1048575) / 1048576::float8 as way,
      (hashtextextended(c.email, :seed::int::bigint + 100 * k + 25) & 1048575)::int as item,
      (hashtextextended(c.email, :seed::int::bigint + 100 * k + 26) & 1048575)::int as amount
  ) as d
  where c.project_id = :project_id and c.data ? 'customerNumber'
),
shopped as (
  select
    v.*,
    (:products::text[])[1 + v.item % cardinality(:products::text[])] as product,
    1 + v.amount % 3 as quantity,
    (:prices::float8[])[1 + v.item % cardinality(:prices::float8[])]::numeric(10, 2) as price,
    'A-' || upper(substr(md5(v.email || v.k), 1, 7)) as order_number
  from visit v
),
happened as (
  select
    s.contact_id, s.email, s.k, e.name, s.at + e.later as at,
    case e.name
      when 'app opened' then jsonb_build_object('platform', case when s.late < 0.5 then 'ios' else 'android' end)
      when 'product viewed' then jsonb_build_object('product', s.product, 'price', s.price)
      when 'wishlist added' then jsonb_build_object('product', s.product)
      when 'cart started' then jsonb_build_object('product', s.product, 'total', s.price * s.quantity)
      when 'checkout started' then jsonb_build_object('total', s.price * s.quantity, 'currency', 'EUR')
      when 'ordered' then jsonb_build_object(
        'orderNumber', s.order_number, 'total', s.price * s.quantity, 'currency', 'EUR',
        'items', jsonb_build_array(jsonb_build_object('name', s.product, 'quantity', s.quantity, 'price', s.price))
      )
      when 'order shipped' then jsonb_build_object(
        'orderNumber', s.order_number, 'carrier', case when s.item % 2 = 0 then 'DHL' else 'UPS' end
      )
      when 'review written' then jsonb_build_object('product', s.product, 'stars', 3 + s.amount % 3)
      else jsonb_build_object('topic', case when s.item % 2 = 0 then 'delivery' else 'return' end)
    end as data
  from shopped s
  cross join lateral (values
    ('app opened', interval '0', s.way > 0.6),
    ('product viewed', interval '1 minute', s.way < 0.9),
    ('wishlist added', interval '3 minutes', s.way between 0.5 and 0.58),
    ('cart started', interval '4 minutes', s.way < 0.4),
    ('checkout started', interval '7 minutes', s.way < 0.26),
    ('ordered', interval '9 minutes', s.way < 0.18),
    ('order shipped', interval '26 hours', s.way < 0.175),
    ('review written', interval '9 days', s.way < 0.04),
    ('support contacted', interval '2 days', s.way between 0.17 and 0.19)
  ) as e (name, later, happens)
  where e.happens
  union all
  select c.id, c.email, 0, 'signed up', c.created_at, jsonb_build_object('source', c.data -> 'source', 'plan', c.data -> 'plan')
  from contacts c
  where c.project_id = :project_id and c.data ? 'customerNumber' and c.created_at > :now::timestamptz - interval '90 days'
)
insert into events (project_id, id, contact_id, name, data, created_at, depth)
select
  :project_id,
  (
    lpad(to_hex((extract(epoch from p.at) * 1000)::bigint), 12, '0') || '7' || substr(h.hash, 1, 3) || '8'
      || substr(h.hash, 4, 15)
  )::uuid,
  p.contact_id, p.name, p.data, p.at, 0
from happened p
cross join lateral (select md5(p.email || p.k || p.name) as hash) as h
where p.at <= :now::timestamptz
order by p.at;

-- name: total_orders :exec
-- What those who ordered have ordered, in their data: it equals their events.
with ordered as materialized (
  select e.contact_id, count(*) as orders, sum((e.data ->> 'total')::numeric) as total, max(e.created_at) as last_at
  from events e
  where e.project_id = :project_id and e.name = 'ordered'
  group by e.contact_id
)
update contacts c
set
  data = c.data || jsonb_build_object(
    'orders', o.orders, 'lifetimeValue', o.total,
    'lastOrderAt', to_char(o.last_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
  ),
  updated_at = o.last_at
from ordered o
where c.project_id = :project_id and c.id = o.contact_id;

-- name: enter_segment :exec
-- splice: audience = true
-- The members of a tracked segment, who entered when they came or in the weeks since.
insert into segment_members (project_id, segment_id, contact_id, entered_at)
select
  c.project_id, :segment_id, c.id,
  c.created_at + (:now::timestamptz - c.created_at) * ((hashtextextended(c.email, :seed::int::bigint + 30) & 1048575) / 1048576::float8)
from contacts c
where c.project_id = :project_id and :audience
on conflict do nothing;

-- name: list_members :exec
-- The first so many of those with an order, for a list kept by hand.
with chosen as (
  select c.id
  from contacts c
  where c.project_id = :project_id and c.data ? 'customerNumber' and (c.data ->> 'orders')::int > 0
  order by c.email
  limit :limit::int
),
added as (
  insert into segment_members (project_id, segment_id, contact_id)
  select :project_id, :segment_id, id from chosen
  returning contact_id
)
update segments
set member_count = (select count(*) from added)
where project_id = :project_id and id = :segment_id;

-- name: add_segment_sizes :exec
-- How large the segments were on each of the last 90 days: they grew with the audience.
with aged as materialized (
  select floor(extract(epoch from :now::timestamptz - created_at) / 86400)::int as days, count(*) as contacts
  from contacts
  where project_id = :project_id
  group by 1
),
past as materialized (
  select
    n, ((:now::timestamptz - interval '1 day' * n) at time zone 'UTC')::date as day,
    (select coalesce(sum(contacts) filter (where days >= n) / sum(contacts), 0) from aged) as share
  from generate_series(1, 90) as n
)
insert into segment_sizes (project_id, segment_id, day, members)
select
  s.project_id, s.id, p.day,
  round(s.member_count * p.share * (0.9 + 0.1 * (hashint8extended(p.n, hashtext(s.slug)) & 1023) / 1024.0))
from segments s
cross join past p
where s.project_id = :project_id
on conflict do nothing;

-- name: leave :exec
-- Brings contacts and suppressions in line with the mails: who unsubscribed did so by a mail, and an address that
-- bounced, or whose owner complained, gets nothing any more.
with lost as materialized (
  select
    e.contact_id, e.address, max(e.unsubscribed_at) as unsubscribed_at,
    max(coalesce(e.bounced_at, e.complained_at)) as lost_at,
    bool_or(e.complained_at is not null) as complained
  from emails e
  where e.project_id = :project_id
    and (e.unsubscribed_at is not null or e.bounced_at is not null or e.complained_at is not null)
  group by e.contact_id, e.address
),
suppressed as (
  insert into suppressions (project_id, email, reason, created_at)
  select :project_id, address, case when complained then 'COMPLAINT' else 'BOUNCE' end::suppression_reason, lost_at
  from lost
  where lost_at is not null
  order by lost_at
  on conflict do nothing
),
by_hand as (
  insert into suppressions (project_id, email, reason, created_at)
  select :project_id, r.email, 'MANUAL', :now::timestamptz - interval '1 day' * r.n
  from unnest(:addresses::text[]) with ordinality as r (email, n)
  on conflict do nothing
),
told as (
  insert into events (project_id, id, contact_id, name, data, created_at)
  select
    :project_id,
    (
      lpad(to_hex((extract(epoch from l.at) * 1000)::bigint), 12, '0') || '7' || substr(h.hash, 1, 3) || '8'
        || substr(h.hash, 4, 15)
    )::uuid,
    l.contact_id, 'contact.unsubscribed', '{}', l.at
  from (
    select contact_id, address, coalesce(unsubscribed_at, lost_at) as at from lost where contact_id is not null
  ) as l
  cross join lateral (select md5('left ' || l.address) as hash) as h
)
update contacts c
set subscribed = false, opted_out_at = coalesce(l.unsubscribed_at, c.opted_out_at), updated_at = coalesce(l.unsubscribed_at, l.lost_at)
from lost l
where c.project_id = :project_id and c.id = l.contact_id;

-- name: rest_domains :exec
-- Nobody asks the DNS about these domains for a year.
update domains
set next_check_at = :now::timestamptz + interval '1 year', created_at = :made_at
where project_id = :project_id;

-- name: analyze_contacts :exec
-- After so many new rows the planner would use outdated statistics.
analyze contacts;

-- name: analyze_mails :exec
analyze emails, contents;

-- name: analyze :exec
-- What `analyze_mails` has checked has not changed since.
analyze contacts, executions, step_executions, segment_members;

-- name: plan_for_many :exec
-- For the rest of this transaction no join goes row by row where it can be hashed: nothing is known yet of rows that were
-- just written, and of those drawn in a statement nothing ever is.
select set_config('enable_nestloop', 'off', true), set_config('work_mem', '128MB', true), set_config('jit', 'off', true);

-- name: skip_triggers :exec
-- Until `heed_triggers` rows are written without triggers and foreign keys, where the role may do so: for rows that refer to
-- others of this transaction alone, and are counted afterwards. It halves the time of half a million events.
select set_config('session_replication_role', 'replica', true)
where has_parameter_privilege(current_user, 'session_replication_role', 'set');

-- name: heed_triggers :exec
-- Ends what `skip_triggers` has begun.
select set_config('session_replication_role', 'origin', true)
where has_parameter_privilege(current_user, 'session_replication_role', 'set');
