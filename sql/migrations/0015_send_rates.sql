-- What may be sent at this moment, by a project or (under the nil id) by the installation: a bucket of tokens that fills
-- with time. Losing it in a crash costs a moment, so it writes no WAL.
create unlogged table send_rates (
  scope     uuid primary key,
  tokens    numeric not null,
  filled_at timestamptz not null
);

-- Takes up to `wanted` tokens out of a bucket that fills with `rate` a second and holds a second's worth.
-- `wait_ms` is how long it takes until there is another one. All processes go by the clock of Postgres.
create function take_sends(bucket uuid, wanted int, rate numeric, out granted int, out wait_ms int)
language plpgsql as $$
declare
  capacity numeric := greatest(1, rate);
  level numeric;
  since timestamptz;
begin
  insert into send_rates (scope, tokens, filled_at)
  values (bucket, capacity, clock_timestamp())
  on conflict do nothing;
  select tokens, filled_at into level, since from send_rates where scope = bucket for update;
  level := least(capacity, level + rate * greatest(0, extract(epoch from clock_timestamp() - since)));
  granted := least(wanted, floor(level)::int);
  update send_rates set tokens = level - granted, filled_at = clock_timestamp() where scope = bucket;
  wait_ms := ceil(1000 * greatest(0, 1 - (level - granted)) / rate)::int;
end $$;
