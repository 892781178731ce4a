create table project_keys (
  project_id   uuid not null references projects on delete cascade,
  id           uuid not null default uuid_v7(),
  name         text not null check (length(name) between 1 and 100),
  scopes       text[] not null check (cardinality(scopes) >= 1 and scopes <@ '{send,track,read,all}'),
  hash         bytea not null unique check (length(hash) = 32),
  hint         text not null check (length(hint) = 4),
  created_by   text not null,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  last_used_at timestamptz,
  primary key (project_id, id)
);

comment on table project_keys is
'Keys of a project in addition to its pair, each with a name and scopes. A key that is revoked is deleted.';
comment on column project_keys.hash is 'SHA-256 of the key.';
comment on column project_keys.hint is 'The last characters of the key.';
comment on column project_keys.created_by is 'The address of the person who created it.';
comment on column project_keys.last_used_at is 'To the minute.';

alter table projects
  add column postal_address text check (length(postal_address) between 1 and 500),
  add column requires_two_factor boolean not null default false;
comment on column projects.postal_address is
'The postal address of the sender, for the footer of MARKETING mail: many countries require it by law. Null: not
shown.';
comment on column projects.requires_two_factor is 'Whether members can access it only with two-factor log-in.';
