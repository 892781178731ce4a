create type project_tracking as enum ('ENABLED', 'DISABLED', 'MARKETING_ONLY');

-- A project owns every other row. Its two keys are the credentials of the API; the secret one is kept as a hash.
create table projects (
  id              uuid primary key default uuid_v7(),
  name            text not null check (length(name) between 1 and 100),
  public_key      text not null unique check (public_key ~ '^pk_[0-9a-f]{48}$'),
  secret_hash     bytea not null unique check (length(secret_hash) = 32),
  secret_hint     text not null check (length(secret_hint) = 4),
  -- Whether a mail in doubt is sent again, by kind of mail (guides/reliability.md).
  resend_in_doubt text[] not null default '{TRANSACTIONAL}'
                  check (resend_in_doubt <@ '{TRANSACTIONAL,WORKFLOW,CAMPAIGN}'),
  -- Whether opens and clicks are followed; MARKETING_ONLY: not in TRANSACTIONAL mail.
  tracking        project_tracking not null default 'ENABLED',
  -- Of the footer and the hosted pages, where a contact has no language of its own.
  language        text not null default 'en',
  -- By which its days begin, in views of it: a name of the IANA time zones.
  timezone        text not null default 'UTC' check (length(timezone) between 1 and 64),
  -- Mails a second, over all processes; null: as many as the installation may send.
  send_rate       numeric check (send_rate > 0),
  -- Sealed: what signs the webhooks of its workflows. Made when it is first needed.
  webhook_secret  bytea,
  disabled_at     timestamptz,
  disabled_reason text,
  -- It is being taken apart, and from now on as if it were not there. It is disabled too: nothing of it goes out.
  deleted_at      timestamptz check (deleted_at is null or disabled_at is not null),
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now()
);

-- Serves `send_rates.limited`: hardly any project has a rate of its own.
create index projects_limited on projects (id) where send_rate is not null;

-- Requests used in the current minute. Losing it in a crash costs nothing, so it writes no WAL.
create unlogged table rate_limits (
  project_id uuid primary key references projects on delete cascade,
  minute     int not null,
  used       int not null
);

-- A key that was used, with the answer of the request that used it.
create table idempotency_keys (
  project_id  uuid not null references projects on delete cascade,
  key         text not null check (length(key) between 1 and 255),
  request     text not null,
  status_code int,
  response    json,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  primary key (project_id, key)
);

-- Serves `idempotency_keys.purge`.
create index idempotency_keys_expired on idempotency_keys (expires_at);
