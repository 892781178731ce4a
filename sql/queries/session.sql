-- name: limit_time :one
-- Ends any statement of this transaction that takes longer, with SQLSTATE 57014.
select set_config('statement_timeout', :ms::text, true) as "timeout!";
