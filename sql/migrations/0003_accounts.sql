create table users (
  id                uuid primary key default uuid_v7(),
  email             text not null unique check (email = lower(email) and length(email) <= 254),
  password_hash     text check (password_hash like '$argon2id$%'),
  email_verified_at timestamptz,
  verified_elsewhere boolean not null default false,
  created_at        timestamptz not null default now(),
  constraint users_verified_elsewhere_check check (email_verified_at is not null or not verified_elsewhere)
);

comment on table users is 'People who manage projects.';
comment on column users.password_hash is
'Argon2id, with its salt and costs. Null for people who only sign in through a provider.';
comment on column users.verified_elsewhere is
'The address was verified in a browser that was not logged in. So somebody reads its mail, but not necessarily the
person who created the account. That person is asked for the password, or for a new one by mail, before joining a
project by invitation or linking a sign-in provider.';

create table identities (
  issuer     text not null check (octet_length(issuer) <= 1000),
  subject    text not null check (octet_length(subject) between 1 and 1000),
  user_id    uuid not null references users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);

comment on table identities is
'Who a user is at a sign-in provider, by the id that the provider assigns: addresses can change there, and can be
reassigned to other people.';
comment on column identities.issuer is
'The name that the issuer gives itself. It is part of the key: two providers may use the same id for two people.';

create index identities_by_user on identities (user_id);
comment on index identities_by_user is 'Serves the deletion of a user.';

create table oauth_callbacks (
  state_hash bytea primary key,
  taken_at   timestamptz not null
);

comment on table oauth_callbacks is
'Sign-ins that came back from a provider. Each may come back once. Only the browser that started it knows that
it did.';

create index oauth_callbacks_by_age on oauth_callbacks (taken_at);
comment on index oauth_callbacks_by_age is 'Serves `oauth_callbacks.purge`.';

create table sessions (
  id         uuid primary key default gen_random_uuid(),
  user_id    uuid not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

comment on table sessions is 'Log-ins. A cookie names its session, and is worthless once the row is gone.';

create index sessions_by_user on sessions (user_id);
comment on index sessions_by_user is 'Serves `sessions.end_of_user`.';

create index sessions_expired on sessions (expires_at);
comment on index sessions_expired is 'Serves `sessions.purge`.';

create type account_token_purpose as enum ('VERIFY_EMAIL', 'RESET_PASSWORD', 'REMOVE_ACCOUNT');

create table account_tokens (
  token_hash bytea primary key check (length(token_hash) = 32),
  user_id    uuid not null references users on delete cascade,
  purpose    account_token_purpose not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

comment on table account_tokens is
'Tokens sent by mail to prove that the recipient reads it. Stored as hashes; deleted when used.';

create index account_tokens_by_user on account_tokens (user_id, purpose);
comment on index account_tokens_by_user is
'Serves `account_tokens.insert`, `account_tokens.drop` and the deletion of a user.';

create index account_tokens_oldest on account_tokens (created_at);
comment on index account_tokens_oldest is 'Serves `account_tokens.purge`.';

create type member_role as enum ('OWNER', 'ADMIN', 'MEMBER');

create table memberships (
  project_id uuid not null references projects on delete cascade,
  user_id    uuid not null references users on delete cascade,
  role       member_role not null default 'MEMBER',
  created_at timestamptz not null default now(),
  primary key (project_id, user_id)
);

comment on table memberships is 'Which users belong to a project, and in which role.';

create index memberships_by_user on memberships (user_id);
comment on index memberships_by_user is 'Serves the projects of a user.';

create table invitations (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null default uuid_v7(),
  email      text not null check (email = lower(email) and length(email) <= 254),
  role       member_role not null,
  invited_by uuid,
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (project_id, id),
  unique (project_id, email)
);

comment on table invitations is
'People who were invited to a project and have not joined yet. Their address may have no account, or an account that
is not verified.';
comment on column invitations.invited_by is
'The user who granted the role, and must still be allowed to grant it when the invitation is accepted. Null: the
operator.';
comment on column invitations.token_hash is
'SHA-256 of the token in the mail. Whoever has the token reads the mail of that address.';

create index invitations_by_email on invitations (email);
comment on index invitations_by_email is 'Serves `invitations.accept`.';

create unlogged table login_failures (
  key       bytea primary key check (length(key) = 32),
  failed_at timestamptz[] not null
);

comment on table login_failures is
'When log-ins failed recently, and when accounts were created. By address, by user and by network, each as a hash.
Losing it in a crash allows a few more guesses, so it is unlogged.';

create unlogged table user_rate_limits (
  user_id uuid primary key,
  minute  int not null,
  used    int not null
);

comment on table user_rate_limits is
'Requests of a user in the current minute, outside of any project. Unlogged, like `rate_limits`.';

create table daily_counts (
  key   text not null,
  day   date not null,
  count int not null,
  primary key (key, day)
);

comment on table daily_counts is
'How often something was done on a day (UTC), by a person or to an address. It outlives projects, so that a new project
does not start from zero.';
comment on column daily_counts.key is 'What was done, and by or to whom.';

create table platform_mails (
  id         uuid primary key default uuid_v7(),
  to_address text not null,
  subject    text not null,
  words      bytea,
  reason     text not null,
  attempts   int not null default 0,
  doubts     int not null default 0,
  held_until timestamptz,
  error      text,
  sent_at    timestamptz,
  failed_at  timestamptz,
  created_at timestamptz not null,
  check (words is not null or sent_at is not null or failed_at is not null)
);

comment on table platform_mails is
'Mails of the installation itself, to the people who manage projects. They are not in the ledger.';
comment on column platform_mails.words is
'Its text: paragraphs, and possibly a link meant for one person. Encrypted. Null once it was sent or given up.';
comment on column platform_mails.reason is 'Why the recipient receives it: the last line of the mail.';
comment on column platform_mails.doubts is
'How many attempts ended without a response, so that it is unknown whether the mail was accepted.';
comment on column platform_mails.held_until is 'Until then, only the process that is sending it may do so.';
comment on column platform_mails.error is 'The last response of the mail server, or why it was given up.';

create index platform_mails_oldest on platform_mails (created_at);
comment on index platform_mails_oldest is 'Serves `platform_mails.purge`.';
