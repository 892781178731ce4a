-- Time-ordered ids: new rows go to the right edge of their index, and an id range is a time range (RFC 9562).
-- Postgres has its own generator from 18 on. Before that, the first 48 bits of a random UUID give way to the
-- milliseconds, and its version digit to 7.
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

-- The first id that can be made at a moment: where a range of time begins in the order of the ids.
create function first_id_at(at timestamptz) returns uuid
language sql immutable strict parallel safe
return rpad(lpad(to_hex(greatest(0, floor(extract(epoch from at) * 1000))::bigint), 12, '0'), 32, '0')::uuid;
