create table totp_secrets (
  user_id      uuid primary key references users on delete cascade,
  sealed       bytea,
  confirmed_at timestamptz,
  last_step    bigint,
  pending      bytea,
  pending_at   timestamptz,
  check ((sealed is null) = (confirmed_at is null)),
  check ((pending is null) = (pending_at is null)),
  check (sealed is not null or pending is not null)
);

comment on table totp_secrets is
'The secrets from which the authenticator apps of users derive their codes (RFC 6238).';
comment on column totp_secrets.sealed is 'The secret, encrypted. Null until a first code has confirmed it.';
comment on column totp_secrets.last_step is
'The 30-second step whose code was used last: neither it nor an earlier one is accepted again.';
comment on column totp_secrets.pending is 'The secret that replaces it once a code confirms it, encrypted.';

create table passkeys (
  user_id       uuid not null references users on delete cascade,
  id            uuid not null default uuid_v7(),
  credential_id text not null unique check (length(credential_id) between 1 and 1400),
  public_key    bytea not null check (length(public_key) <= 2000),
  counter       bigint not null,
  transports    text[] not null,
  name          text not null check (length(name) between 1 and 100),
  created_at    timestamptz not null,
  last_used_at  timestamptz,
  primary key (user_id, id)
);

comment on table passkeys is 'Public keys of WebAuthn credentials: on devices of a user, or in their password manager.';
comment on column passkeys.counter is
'The last counter that the authenticator sent; if it decreases, the authenticator was copied. 0: it has no counter.';

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  hash    bytea not null check (length(hash) = 32),
  primary key (user_id, hash)
);

comment on table recovery_codes is 'For users who have lost their factors. Deleted when used.';
comment on column recovery_codes.hash is
'SHA-256. The codes are as hard to guess as a key, so neither a slower hash nor SECRET_KEY is needed.';

create table login_challenges (
  token_hash bytea primary key check (length(token_hash) = 32),
  user_id    uuid not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

comment on table login_challenges is
'Log-ins that wait for the second factor. Deleted when it is given, and with the sessions of their user.';

create index login_challenges_by_user on login_challenges (user_id);
comment on index login_challenges_by_user is 'Serves `two_factor.end_challenges` and the deletion of a user.';

create index login_challenges_expired on login_challenges (expires_at);
comment on index login_challenges_expired is 'Serves `two_factor.purge_challenges`.';

create table passkey_answers (
  challenge_hash bytea primary key check (length(challenge_hash) = 32),
  taken_at       timestamptz not null
);

comment on table passkey_answers is
'Challenges that a passkey has answered: each can be answered once. Unanswered challenges are not stored.';

create index passkey_answers_by_age on passkey_answers (taken_at);
comment on index passkey_answers_by_age is 'Serves `passkeys.purge_answers`.';

create function has_two_factor(of_user uuid) returns boolean
language sql stable
as $$
  select exists (select from totp_secrets where user_id = of_user and sealed is not null)
      or exists (select from passkeys where user_id = of_user)
$$;
comment on function has_two_factor is 'Whether this user has a second factor, so that log-ins require it.';
