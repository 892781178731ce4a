do $$
begin
  if current_setting('server_version_num')::int >= 180000 then
    create function uuid_v7() returns uuid
    language sql volatile parallel safe
    return uuidv7();
  else
    create function uuid_v7() returns uuid
    language sql volatile parallel safe
    return encode(
      set_byte(
        overlay(
          uuid_send(gen_random_uuid())
          placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
          from 1 for 6
        ),
        6,
        (get_byte(uuid_send(gen_random_uuid()), 6) & 15) | 112
      ),
      'hex'
    )::uuid;
  end if;
end $$;
comment on function uuid_v7 is
'A time-ordered id (RFC 9562): new rows go to the right edge of their index, and a range of ids is a range of time.
Postgres has its own generator since version 18. Before that, the first 48 bits of a random UUID are replaced by the
milliseconds, and its version digit by 7.';

create function first_id_at(at timestamptz) returns uuid
language sql immutable strict parallel safe
return rpad(lpad(to_hex(greatest(0, floor(extract(epoch from at) * 1000))::bigint), 12, '0'), 32, '0')::uuid;
comment on function first_id_at is
'The lowest id that can be made at a given moment: the start of a range of time in the order of ids.';

create function time_of_id(id uuid) returns timestamptz
language sql immutable strict parallel safe
return to_timestamp(('x' || left(translate(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0);
comment on function time_of_id is 'When an id was made, to the millisecond: the inverse of `first_id_at`.';

create function number_of(value jsonb) returns numeric
language sql immutable parallel safe
return case when jsonb_typeof(value) = 'number' then value::numeric end;
comment on function number_of is
'A JSON value as a number, or null if it is not one. A string of digits is not a number.
Compiled conditions (src/audience/conditions/mod.ts) use this function and the next two. Each is a single expression,
so that Postgres inlines it, and none can fail, whatever the data contains.';

create function text_of(value jsonb) returns text
language sql immutable parallel safe
return case when jsonb_typeof(value) = 'string' then value #>> '{}' end;
comment on function text_of is 'A JSON value as a string, or null if it is not one.';

create function instant_of(value text) returns timestamptz
language sql stable parallel safe
return case
  when value ~ '^[1-9][0-9]{3}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?)?)?$'
    then value::timestamptz
  when value ~ '^([1-9][0-9](0[48]|[2468][048]|[13579][26])|(1[26]|[2468][048]|[3579][26])00)-02-29([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?)?)?$'
    then value::timestamptz
end;
comment on function instant_of is
'The instant that a text states in ISO 8601, or null: an existing day of the years 1000 to 9999, with or without a
time, with or without an offset (without one it is UTC, the time zone of our sessions). `toInstant` in
src/audience/conditions/_instants.ts accepts the same texts. Nothing reaches the cast that the cast would refuse.
Leap days have a pattern of their own, which keeps the first one short: matching takes most of the time (2
microseconds).';

create function quarter_of(at timestamptz) returns timestamptz
language sql immutable parallel safe
return date_bin('15 minutes', at, '2000-01-01 00:00:00+00');
comment on function quarter_of is 'The start of the quarter of an hour that contains a moment.';

create function workflow_depth() returns int
language sql stable parallel safe
return coalesce(nullif(current_setting('postrider.depth', true), ''), '0')::int;
comment on function workflow_depth is
'How many workflows led to what happens in this transaction, each started by an event of the one before. Set by the
code that runs workflows.';

create function assert_not_held(tables regclass[], modes text[]) returns void
language plpgsql as $$
begin
  if exists (
    select
    from pg_locks l
    join pg_stat_activity a on a.pid = l.pid
    where l.relation = any(tables::oid[])
      and (modes is null or l.mode = any(modes))
      and l.granted
      and l.pid <> pg_backend_pid()
      and l.database = (select oid from pg_database where datname = current_database())
      and a.xact_start < clock_timestamp() - interval '200 milliseconds'
  ) then
    raise exception 'tables are held by another transaction' using errcode = 'lock_not_available';
  end if;
end $$;
comment on function assert_not_held is
'Fails with `lock_not_available` when another transaction has held one of these tables for longer than 200 ms, in one
of these lock modes (null: any). Waiting behind it would make all others wait, too.';

comment on table migrations is 'The migrations that have been applied.';
