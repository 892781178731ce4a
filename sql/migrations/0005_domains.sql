create type domain_status as enum ('PENDING', 'VERIFIED', 'FAILED');

-- The domains that a project may send from, as ASCII (IDN encoded), lower-case.
create table domains (
  project_id       uuid not null references projects on delete cascade,
  id               uuid not null default uuid_v7(),
  domain           text not null check (domain = lower(domain) and domain ~ '^[a-z0-9.-]{1,253}$'),
  status           domain_status not null default 'PENDING',
  -- The operator vouches for it: it stays VERIFIED whatever the DNS says.
  trusted          boolean not null default false,
  -- Where bounces of its mails may come back to.
  return_path      text not null generated always as ('bounces.' || domain) stored,
  -- What signs its mails. The private key is sealed with `SECRET_KEY` and bound to the two ids of its row.
  dkim_selector    text check (dkim_selector ~ '^[a-z0-9]{1,63}$'),
  dkim_public_key  text,
  dkim_private_key bytea,
  -- How its records stood when the DNS last said something about them: `{"DKIM TXT": "VERIFIED", …}`.
  record_states    jsonb not null default '{}' check (jsonb_typeof(record_states) = 'object'),
  last_checked_at  timestamptz,
  -- Since when the DNS has proved it. Null: it does not, or does not any more.
  verified_at      timestamptz,
  -- Failed checks in a row, and the time of the first of them.
  failures         int not null default 0,
  failing_since    timestamptz,
  -- Who looks up sets this first: nobody else does for a while, and what comes back later than that is not written.
  check_started_at timestamptz,
  -- Null: never, because there is no key to look for.
  next_check_at    timestamptz,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  primary key (project_id, id),
  constraint domains_domain_unique unique (project_id, domain),
  constraint domains_dkim_key check (
    num_nulls(dkim_selector, dkim_public_key, dkim_private_key) in (0, 3)
  )
);

-- Serves `domains.claim_due`.
create index domains_due on domains (next_check_at);

-- Serves `domains.returned_to`: asked for every mail that comes back.
create index domains_by_return_path on domains (return_path);
