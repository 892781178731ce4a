create type domain_status as enum ('PENDING', 'VERIFIED', 'FAILED');

-- The domains that a project may send from, as ASCII (IDN encoded), lower-case.
create table domains (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null default uuid_v7(),
  domain     text not null check (domain = lower(domain) and domain ~ '^[a-z0-9.-]{1,253}$'),
  status     domain_status not null default 'PENDING',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project_id, id),
  constraint domains_domain_unique unique (project_id, domain)
);
