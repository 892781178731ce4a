create type contact_job_state as enum ('waiting', 'active', 'completed', 'failed');

create type bulk_operation as enum ('subscribe', 'unsubscribe', 'delete');

-- Files of contacts on their way in. A row is the work and its report; `rows_done` is how far the work has come.
create table contact_imports (
  project_id    uuid not null references projects on delete cascade,
  id            uuid not null default uuid_v7(),
  state         contact_job_state not null default 'waiting',
  dry_run       boolean not null,
  -- Null until the whole file has been read once.
  row_count     int,
  rows_done     int not null default 0,
  created_count int not null default 0,
  updated_count int not null default 0,
  failure_count int not null default 0,
  -- The first 1,000: `{row, email, error}`.
  errors        jsonb not null default '[]',
  failed_reason text,
  created_at    timestamptz not null default now(),
  finished_at   timestamptz,
  primary key (project_id, id),
  check ((finished_at is not null) = (state in ('completed', 'failed')))
);

-- The file of an import, until it is done. In pieces of 64 KB, so that nobody has more than one of them in hand;
-- deflated (RFC 1951) before they come here, because the driver sends every byte as two characters.
create table contact_import_pieces (
  project_id uuid not null,
  import_id  uuid not null,
  position   int not null check (position >= 0),
  deflated   bytea not null check (octet_length(deflated) <= 70000),
  primary key (project_id, import_id, position),
  foreign key (project_id, import_id) references contact_imports (project_id, id) on delete cascade
);

-- Compressed already.
alter table contact_import_pieces alter column deflated set storage external;

-- Work on many contacts: those of `contact_ids`, or those that `filter` lets through. `after_id` is how far it has come.
create table bulk_jobs (
  project_id      uuid not null references projects on delete cascade,
  id              uuid not null default uuid_v7(),
  operation       bulk_operation not null,
  state           contact_job_state not null default 'waiting',
  contact_ids     uuid[],
  -- `{search?, subscribed?, segmentId?}`
  filter          jsonb,
  exclude_ids     uuid[] not null default '{}',
  after_id        uuid,
  -- Null until counted.
  contact_count   int,
  success_count   int not null default 0,
  unchanged_count int not null default 0,
  failure_count   int not null default 0,
  -- The first 1,000: `{contactId, error}`.
  errors          jsonb not null default '[]',
  failed_reason   text,
  created_at      timestamptz not null default now(),
  finished_at     timestamptz,
  primary key (project_id, id),
  check ((contact_ids is null) <> (filter is null)),
  check ((finished_at is not null) = (state in ('completed', 'failed')))
);
