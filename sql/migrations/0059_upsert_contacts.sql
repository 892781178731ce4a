-- The upsert of contacts as a function, so that a statement can write contacts and go on with what came of it: `/v1/track` is one
-- statement, and one answer of Postgres to wait for, where it was a transaction of five.
create function upsert_contacts(rows json, changes jsonb, lock_wait_ms integer default null)
returns table (
  project_id     uuid,
  id             uuid,
  email          text,
  subscribed     boolean,
  was_subscribed boolean,
  opted_out_at   timestamptz,
  is_outgoing    boolean
)
language plpgsql
as $$
#variable_conflict use_column
begin
  if lock_wait_ms is not null then
    perform set_config('lock_timeout', lock_wait_ms::text, true);
  end if;
  return query
  insert into contacts as c (project_id, email, subscribed, data)
  select r.project_id, r.email, r.subscribed, r.sets
  from json_to_recordset(rows) as r (project_id uuid, email text, subscribed boolean, sets jsonb)
  order by r.project_id, r.email
  on conflict (project_id, email) do update
  set
    was_subscribed = c.subscribed,
    subscribed     = coalesce(
      (changes #>> array[c.project_id || ' ' || c.email, 'subscribed'])::boolean,
      c.subscribed
    ),
    opted_out_at   = case
      when coalesce(
        (changes #>> array[c.project_id || ' ' || c.email, 'subscribed'])::boolean,
        c.subscribed
      ) then null
      when c.subscribed then now()
      else c.opted_out_at
    end,
    data           = merge_contact_data(
      c.data,
      excluded.data,
      changes #> array[c.project_id || ' ' || c.email, 'deletes']
    ),
    updated_at     = now()
  returning
    c.project_id, c.id, c.email, c.subscribed, c.was_subscribed, c.opted_out_at,
    c.was_subscribed is not null and exists (select from reset_of(c));
end
$$;
comment on function upsert_contacts is
'Creates contacts, or merges into those that have the address already. `rows` holds `{project_id, email, subscribed, sets}`, each address once; `changes` holds, by `<project_id> <email>`, what else an existing row needs: `{subscribed?, deletes?}`. They are looked up there because ON CONFLICT sees only the row it could not insert. Rows are locked in one order, so that two calls cannot deadlock; with `lock_wait_ms` this transaction waits no longer for a lock. `was_subscribed` is null for a new contact. `is_outgoing` marks one that a reset is about to delete.';
