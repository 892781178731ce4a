-- From the weakest to the strongest: of two reasons for one address the greater one stands.
create type suppression_reason as enum ('MANUAL', 'BOUNCE', 'COMPLAINT');

-- Addresses that a project sends nothing to, whatever kind of mail it is.
create table suppressions (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null default uuid_v7(),
  email      text not null check (email = lower(email) and length(email) <= 254),
  reason     suppression_reason not null,
  created_at timestamptz not null default now(),
  primary key (project_id, id),
  constraint suppressions_email_unique unique (project_id, email)
);
