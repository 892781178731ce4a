-- Who somebody is at a provider, which has its own ids and keeps them: addresses change there, and are given away.
create table identities (
  -- The issuer as it calls itself: two providers may have the same id for two people.
  issuer     text not null check (octet_length(issuer) <= 1000),
  subject    text not null check (octet_length(subject) between 1 and 1000),
  user_id    uuid not null references users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);

-- Serves the deletion of a user.
create index identities_by_user on identities (user_id);

-- Sign-ins that have come back from a provider. Each may come back once; where it began is known to its browser alone.
create table oauth_callbacks (
  state_hash bytea primary key,
  taken_at   timestamptz not null
);

-- Serves `oauth_callbacks.purge`.
create index oauth_callbacks_by_age on oauth_callbacks (taken_at);
