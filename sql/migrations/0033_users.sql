-- An address may be verified where nobody is logged in to its account: then it is known that somebody reads its mail, and
-- not that this is who made the account. Such a one is asked for its password, or a new one by mail, before it joins a
-- project by invitation or is linked to a sign-in at a provider.
alter table users
  add column verified_elsewhere boolean not null default false,
  add constraint users_verified_elsewhere_check check (email_verified_at is not null or not verified_elsewhere);

-- "This was not me", in the mail that asks whether an address is theirs.
alter type account_token_purpose add value 'REMOVE_ACCOUNT';

-- Who has sent requests with X-Forwarded-For, without being named in TRUSTED_PROXIES. Each process writes a line an hour
-- at most.
create table unnamed_proxies (
  peer    text primary key check (length(peer) <= 100),
  seen_at timestamptz not null
);
