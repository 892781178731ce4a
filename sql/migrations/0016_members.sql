create type member_role as enum ('OWNER', 'ADMIN', 'MEMBER');

-- People who look after projects.
create table users (
  id                uuid primary key default uuid_v7(),
  email             text not null unique check (email = lower(email) and length(email) <= 254),
  email_verified_at timestamptz,
  created_at        timestamptz not null default now()
);

create table memberships (
  project_id uuid not null references projects on delete cascade,
  user_id    uuid not null references users on delete cascade,
  role       member_role not null default 'MEMBER',
  created_at timestamptz not null default now(),
  primary key (project_id, user_id)
);

-- Serves the projects of a user.
create index memberships_by_user on memberships (user_id);
