drop function take_sends(uuid, int, numeric);
create function take_sends(
  bucket uuid, wanted int, rate numeric, seconds numeric default 1, out granted int, out wait_ms int
)
language plpgsql as $$
declare
  capacity numeric := greatest(1, rate * seconds);
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
comment on function take_sends is
'Takes up to `wanted` tokens from a bucket that fills at `rate` per second and holds what comes in so many seconds.
`wait_ms` is the time until there is another token. All processes use the clock of Postgres.';

alter table paces add column refused_rate numeric;
comment on column paces.refused_rate is
'The limit: the last pace that was refused though it held mails back, in mails a second. The rate returns to nearly this quickly,
and goes beyond slowly. Null: it is not known yet.';
