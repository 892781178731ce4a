create type usage_category as enum ('workflows', 'campaigns', 'transactional', 'inbound');
comment on type usage_category is
'What is counted for a project, and may be limited: mails by their source, and mails that it receives.';

create table usage_limits (
  project_id    uuid not null references projects on delete cascade,
  category      usage_category not null,
  monthly_limit bigint not null check (monthly_limit > 0),
  primary key (project_id, category)
);

comment on table usage_limits is
'How much a project may use in a calendar month (UTC). A category without a row has no limit.';

create table usage_months (
  project_id uuid not null references projects on delete cascade,
  month      date not null check (extract(day from month) = 1),
  category   usage_category not null,
  used       bigint not null,
  primary key (project_id, month, category)
);

comment on table usage_months is
'What was accepted in a calendar month (UTC), except for what is still in `usage_deltas`.';

create table usage_deltas (
  project_id uuid not null,
  month      date not null,
  category   usage_category not null,
  used       int not null
);

comment on table usage_deltas is
'What was accepted since the last roll-up, for categories without a limit. Append-only, so that no sender waits for
another.';

create index usage_deltas_by_project on usage_deltas (project_id);
comment on index usage_deltas_by_project is 'Serves `usage_of`.';

create function usage_month(at timestamptz) returns date
language sql immutable parallel safe
return date_trunc('month', at at time zone 'UTC')::date;
comment on function usage_month is 'The month (UTC) of a moment, as the first day of that month.';

create function usage_of(project uuid, in_month date, what usage_category) returns bigint
language sql stable parallel safe
return coalesce((
  select m.used
  from usage_months m
  where m.project_id = project and m.month = in_month and m.category = what
), 0) + coalesce((
  select sum(d.used)
  from usage_deltas d
  where d.project_id = project and d.month = in_month and d.category = what
), 0);
comment on function usage_of is 'What was accepted in a category in a month.';

create function usage_of_source(source email_source) returns usage_category
language sql immutable parallel safe
return case source
  when 'TRANSACTIONAL' then 'transactional'::usage_category
  when 'WORKFLOW' then 'workflows'
  when 'CAMPAIGN' then 'campaigns'
end;
comment on function usage_of_source is 'The category in which a mail counts, by its source.';

create function take_usage(
  project uuid, what usage_category, at timestamptz, wanted int, only_whole boolean
) returns int
language plpgsql as $$
declare
  this_month constant date := usage_month(at);
  allowed bigint;
  taken bigint;
  granted int;
begin
  if wanted = 0 then
    return 0;
  end if;
  select l.monthly_limit into allowed
  from usage_limits l
  where l.project_id = project and l.category = what
  for no key update;
  if not found then
    insert into usage_deltas (project_id, month, category, used) values (project, this_month, what, wanted);
    return wanted;
  end if;
  taken := usage_of(project, this_month, what);
  granted := greatest(0, least(wanted, allowed - taken));
  if granted < wanted and only_whole then
    raise exception 'The limit of this month is reached' using
      errcode = 'PU402',
      detail = json_build_object('category', what, 'limit', allowed, 'usage', taken);
  end if;
  if granted > 0 then
    insert into usage_months as m (project_id, month, category, used)
    values (project, this_month, what, granted)
    on conflict (project_id, month, category) do update
    set used = m.used + excluded.used;
  end if;
  return granted;
end $$;
comment on function take_usage is
'Takes as much of the month''s limit as is wanted, or as is left, and returns how much that is. Called in the statement
that accepts the mails, so that what is counted is what was accepted. If there is a limit, its row stays locked until
the commit, and the next caller sees what was taken. `only_whole`: all, or the error PU402.';

create table usage_warnings (
  project_id uuid not null references projects on delete cascade,
  month      date not null,
  category   usage_category not null,
  percent    int not null,
  primary key (project_id, month, category, percent)
);

comment on table usage_warnings is
'Which warnings a project was sent in a month: one for each category and percentage of a limit.';

create table billing_accounts (
  project_id      uuid primary key references projects on delete cascade,
  customer_id     text unique,
  subscription_id text,
  status          text,
  is_live         boolean not null generated always as (
    coalesce(status in ('active', 'trialing', 'past_due', 'unpaid'), false)
  ) stored,
  period_ends_at  timestamptz,
  cancels_at      timestamptz,
  ended_at        timestamptz,
  version         int not null default 0,
  checkouts       int not null default 0,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now()
);

comment on table billing_accounts is
'The ids of a project at Stripe, and what was last read from there about its subscription. The values of `status` are
those of Stripe.';
comment on column billing_accounts.is_live is 'It has begun and not ended, paid or not: usage is charged.';
comment on column billing_accounts.cancels_at is 'When it ends, if it was cancelled.';
comment on column billing_accounts.version is
'Counts the writes. A process that read from Stripe before another one wrote has to read again.';
comment on column billing_accounts.checkouts is
'Counts the checkouts: the number makes a repeated request idempotent at Stripe.';

create index billing_accounts_live on billing_accounts (project_id) where is_live;
comment on index billing_accounts_live is 'Serves `usage_reports.make`.';

create table usage_reports (
  project_id  uuid not null references projects on delete cascade,
  month       date not null,
  category    usage_category not null,
  number      int not null check (number > 0),
  quantity    bigint not null check (quantity > 0),
  up_to       bigint not null,
  customer_id text,
  event_name  text,
  at          timestamptz not null,
  held_until  timestamptz,
  tried_at    timestamptz,
  settled_at  timestamptz,
  error       text,
  primary key (project_id, month, category, number)
);

comment on table usage_reports is
'The parts of the usage that are reported to Stripe. Project, month, category and number identify a part, both here and
at Stripe: however often it is reported, it counts once.';
comment on column usage_reports.up_to is 'All parts of the month up to this one.';
comment on column usage_reports.customer_id is
'Null for usage from before there was a subscription: it is neither charged nor reported.';
comment on column usage_reports.at is 'The time of use that is reported to Stripe.';
comment on column usage_reports.held_until is 'Until then, only the process that is reporting it may do so.';
comment on column usage_reports.tried_at is 'When it was first reported without a response.';
comment on column usage_reports.error is 'Why it does not count, if it was settled that way.';

create index usage_reports_open on usage_reports (at) where settled_at is null;
comment on index usage_reports_open is 'Serves `usage_reports.claim`.';
