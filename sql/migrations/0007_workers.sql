-- The processes that take jobs. A row is the heartbeat; a live process also holds an advisory lock named after `lock_id`,
-- which Postgres frees the moment its connection is gone.
create table workers (
  id         uuid primary key,
  lock_id    int not null unique generated always as identity,
  host       text not null,
  pid        int not null,
  -- The names under which graphile-worker locks jobs for it.
  pools      text[] not null default '{}',
  started_at timestamptz not null default now(),
  seen_at    timestamptz not null default now()
);
