-- name: take :exec
-- One row when this sign-in comes back for the first time, none when it has been back before.
insert into oauth_callbacks (state_hash, taken_at)
values (:state_hash, :now)
on conflict do nothing;

-- name: purge :exec
-- Forgets those from before `before`, at most `limit` at a time.
delete from oauth_callbacks
where ctid = any (array(
  select ctid
  from oauth_callbacks
  where taken_at < :before
  order by taken_at
  limit :limit::int
));
