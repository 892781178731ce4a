create table contacts (
  project_id     uuid not null references projects on delete cascade,
  id             uuid not null default uuid_v7(),
  email          text not null check (email = lower(email) and length(email) <= 254),
  subscribed     boolean not null,
  -- What `subscribed` was before the last write; null in a row just made. One upsert can so write the row and
  -- tell what changed, also when two of them meet. Postgres 18 has `returning old`; our floor is 15.
  was_subscribed boolean,
  -- Since when the person does not want mail: unsubscribed after having been subscribed.
  opted_out_at   timestamptz,
  data           jsonb not null default '{}' check (jsonb_typeof(data) = 'object'),
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  primary key (project_id, id),
  constraint contacts_email_unique unique (project_id, email),
  -- 64 KB of JSON; the inner form is measured first, because that costs nothing.
  constraint contacts_data_size check (pg_column_size(data) <= 32768 or octet_length(data::text) <= 65536)
) with (fillfactor = 85);

-- What happened, to whom. Rows are only added.
create table events (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null default uuid_v7(),
  contact_id uuid,
  email_id   uuid,
  name       text not null check (length(name) between 1 and 255),
  data       jsonb not null default '{}',
  -- An open or a click that no person made.
  machine    boolean not null generated always as (data ? 'machine') stored,
  created_at timestamptz not null default now(),
  primary key (project_id, id),
  foreign key (project_id, contact_id) references contacts (project_id, id) on delete cascade
);

-- Serves the deletion of a contact, and later the conditions on events.
create index events_by_contact on events (project_id, contact_id, name, id);

-- The one rule of how a request changes a contact's data: values over the old ones, then the deletions.
-- `deletes` is a JSON array of keys, or null.
create function merge_contact_data(current jsonb, sets jsonb, deletes jsonb) returns jsonb
language sql immutable parallel safe
return case
  when deletes is null then current || sets
  else (current || sets) - array(select jsonb_array_elements_text(deletes))
end;
