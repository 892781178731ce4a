-- name: hold :one
-- Whether this transaction is the one that rolls up, until its end: there is one at a time.
select pg_try_advisory_xact_lock(counts_rollup_lock()) as "is_mine!";
