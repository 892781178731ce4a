-- What Stripe knows a project by, and what was last read there of its subscription. The words of the status are Stripe's.
create table billing_accounts (
  project_id      uuid primary key references projects on delete cascade,
  customer_id     text unique,
  subscription_id text,
  status          text,
  -- It has begun and not ended, paid or not: what is used is charged.
  is_live         boolean not null generated always as (
    coalesce(status in ('active', 'trialing', 'past_due', 'unpaid'), false)
  ) stored,
  period_ends_at  timestamptz,
  -- When it ends, where somebody has cancelled it.
  cancels_at      timestamptz,
  ended_at        timestamptz,
  -- Counts what is written here: who has read at Stripe before it was written by somebody else, reads again.
  version         int not null default 0,
  -- Counts the checkouts: by that number Stripe knows one that is asked for again.
  checkouts       int not null default 0,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now()
);

-- Serves `usage_reports.make`.
create index billing_accounts_live on billing_accounts (project_id) where is_live;

-- What of the usage Stripe is told, piece by piece. Project, month, category and number name a piece, here and there:
-- however often it is told, it counts once.
create table usage_reports (
  project_id  uuid not null references projects on delete cascade,
  month       date not null,
  category    usage_category not null,
  number      int not null check (number > 0),
  quantity    bigint not null check (quantity > 0),
  -- All pieces of the month up to this one.
  up_to       bigint not null,
  -- Null for what was used before there was a subscription: it is not charged, and nobody is told.
  customer_id text,
  event_name  text,
  -- When it was used, as far as Stripe is concerned.
  at          timestamptz not null,
  -- While one process tells it, no other one does.
  held_until  timestamptz,
  -- When it was first told without an answer.
  tried_at    timestamptz,
  settled_at  timestamptz,
  -- Why it does not count, where it was settled so.
  error       text,
  primary key (project_id, month, category, number)
);

-- Serves `usage_reports.claim`.
create index usage_reports_open on usage_reports (at) where settled_at is null;
