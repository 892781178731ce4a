-- name: limited :many
-- The projects that may not send as fast as they can: mails a second.
select id as project_id, send_rate::float8 as "rate!"
from projects
where send_rate is not null;

-- name: take :many
-- Takes tokens out of these buckets, which hold what comes in so many seconds, in one order, so that two processes cannot wait
-- for each other.
select a.scope as "scope!", t.granted as "granted!", t.wait_ms as "wait_ms!"
from (
  select *
  from unnest(:scopes::uuid[], :wanted::int[], :rates::numeric[]) as u (scope, wanted, rate)
  order by u.scope
) as a
cross join lateral take_sends(a.scope, a.wanted, a.rate, :seconds::numeric) as t;

-- name: give_back :exec
-- What was taken and not used; more than a bucket holds is not counted by the next who takes. In the order of `take`.
update send_rates r
set tokens = r.tokens + h.tokens
from (
  select b.scope, g.tokens
  from unnest(:scopes::uuid[], :tokens::int[]) as g (scope, tokens)
  join send_rates b on b.scope = g.scope
  order by b.scope
  for update of b
) as h
where r.scope = h.scope;
