-- name: limit :exec
-- How long a statement of this transaction waits for a lock at most.
select set_config('lock_timeout', :wait_ms::int::text, true);
