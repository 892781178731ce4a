alter table idempotency_keys add column body_hash text;
comment on column idempotency_keys.body_hash is
'What the request said, as a hash: one that says the same may ask for the first answer again. Null where it cannot.';
