-- name: hold :one
-- Whether this transaction is the one that folds, until its end: there is one at a time.
select pg_try_advisory_xact_lock(folding_of_counts()) as "is_mine!";
