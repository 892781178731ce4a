-- name: claim :many
-- Returns those of these ids that have not been claimed before. Concurrent claims of the same id wait for each other.
-- They are written in one order, so that two claims cannot deadlock.
insert into webhook_receipts (source, id, received_at)
select :source, r.id, :now
from unnest(:ids::text[]) as r (id)
order by r.id
on conflict do nothing
returning id;

-- name: purge :exec
-- Forgets what came before `before`, at most `limit` at a time. By their places in the table: found by their keys they
-- would be joined with all of it.
delete from webhook_receipts
where ctid = any (array(
  select ctid
  from webhook_receipts
  where received_at < :before
  order by received_at
  limit :limit::int
));
