-- name: limited :many
-- The projects that may not send as fast as they can: mails a second.
select id as project_id, send_rate::float8 as "rate!"
from projects
where send_rate is not null;

-- name: take :many
-- Takes tokens out of these buckets, in one order, so that two processes cannot wait for each other.
select a.scope as "scope!", t.granted as "granted!", t.wait_ms as "wait_ms!"
from (
  select *
  from unnest(:scopes::uuid[], :wanted::int[], :rates::numeric[]) as u (scope, wanted, rate)
  order by u.scope
) as a
cross join lateral take_sends(a.scope, a.wanted, a.rate) as t;

-- name: give_back :exec
-- What was taken and not used.
update send_rates r
set tokens = r.tokens + g.tokens
from unnest(:scopes::uuid[], :tokens::int[]) as g (scope, tokens)
where r.scope = g.scope;
