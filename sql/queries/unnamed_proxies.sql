-- name: note :exec
-- Notes who it was, and forgets those of more than a week ago.
with forgotten as (
  delete from unnamed_proxies
  where seen_at < :before and peer <> :peer
)
insert into unnamed_proxies (peer, seen_at)
values (:peer, :now)
on conflict (peer) do update set seen_at = excluded.seen_at;

-- name: since :many
-- The last ones first.
select peer, seen_at
from unnamed_proxies
where seen_at >= :since
order by seen_at desc
limit :limit::int;
