create type domain_status as enum ('PENDING', 'VERIFIED', 'FAILED');

create table domains (
  project_id       uuid not null references projects on delete cascade,
  id               uuid not null default uuid_v7(),
  domain           text not null check (domain = lower(domain) and domain ~ '^[a-z0-9.-]{1,253}$'),
  status           domain_status not null default 'PENDING',
  trusted          boolean not null default false,
  return_path      text not null generated always as ('bounces.' || domain) stored,
  dkim_selector    text check (dkim_selector ~ '^[a-z0-9]{1,63}$'),
  dkim_public_key  text,
  dkim_private_key bytea,
  record_states    jsonb not null default '{}' check (jsonb_typeof(record_states) = 'object'),
  last_checked_at  timestamptz,
  verified_at      timestamptz,
  failures         int not null default 0,
  failing_since    timestamptz,
  check_started_at timestamptz,
  next_check_at    timestamptz,
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  primary key (project_id, id),
  constraint domains_domain_unique unique (project_id, domain),
  constraint domains_dkim_key check (
    num_nulls(dkim_selector, dkim_public_key, dkim_private_key) in (0, 3)
  )
);

comment on table domains is 'The domains that a project may send from, in lower-case ASCII (IDNs encoded).';
comment on column domains.trusted is 'The operator vouches for it: it stays VERIFIED, whatever the DNS returns.';
comment on column domains.return_path is 'Where its mails bounce to.';
comment on column domains.dkim_selector is
'The key that signs its mails. The private part is encrypted with `SECRET_KEY` and bound to both ids of its row.';
comment on column domains.record_states is
'The state of each record when the DNS last returned an answer for it: `{"DKIM TXT": "VERIFIED", …}`.';
comment on column domains.verified_at is 'Since when the DNS has verified it. Null: it does not, or no longer does.';
comment on column domains.failures is 'Failed checks in a row. `failing_since` is the time of the first of them.';
comment on column domains.check_started_at is
'Written by the process that checks it, before the DNS lookup: no other process checks it for a while, and a result that
arrives later than that is discarded.';
comment on column domains.next_check_at is 'Null: never, because there is no key to look for.';

create index domains_due on domains (next_check_at);
comment on index domains_due is 'Serves `domains.claim_due`.';

create index domains_by_return_path on domains (return_path);
comment on index domains_by_return_path is 'Serves `domains.returned_to`, which runs for every returned mail.';

create index domains_verified on domains (domain) where status = 'VERIFIED';
comment on index domains_verified is 'Serves `received_mails.receivers`.';
