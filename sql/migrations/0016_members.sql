create type member_role as enum ('OWNER', 'ADMIN', 'MEMBER');

-- People who look after projects.
create table users (
  id                uuid primary key default uuid_v7(),
  email             text not null unique check (email = lower(email) and length(email) <= 254),
  -- Argon2id, with its salt and costs; null for whoever comes by another provider only.
  password_hash     text check (password_hash like '$argon2id$%'),
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

-- Who is logged in. A cookie names its session, and is worth nothing once the row is gone.
create table sessions (
  id         uuid primary key default gen_random_uuid(),
  user_id    uuid not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- Serves `sessions.end_of_user`.
create index sessions_by_user on sessions (user_id);

-- Serves `sessions.purge`.
create index sessions_expired on sessions (expires_at);

create type account_token_purpose as enum ('VERIFY_EMAIL', 'RESET_PASSWORD');

-- What was sent to somebody to prove that the mail arrived. Kept as a hash, and gone with its use.
create table account_tokens (
  token_hash bytea primary key check (length(token_hash) = 32),
  user_id    uuid not null references users on delete cascade,
  purpose    account_token_purpose not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- Serves `account_tokens.insert`, `account_tokens.drop` and the deletion of a user.
create index account_tokens_by_user on account_tokens (user_id, purpose);

-- Serves `account_tokens.purge`.
create index account_tokens_oldest on account_tokens (created_at);

-- When log-ins failed lately, and who signed up, by address, by user and by network, each as a hash. Losing it in a crash
-- costs a few guesses, so it writes no WAL.
create unlogged table login_failures (
  key       bytea primary key check (length(key) = 32),
  failed_at timestamptz[] not null
);
