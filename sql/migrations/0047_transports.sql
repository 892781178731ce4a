create table warmup_plans (
  project_id uuid not null,
  id uuid not null default uuid_v7(),
  name text not null,
  daily_limits integer[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project_id, id),
  constraint warmup_plans_limits check (cardinality(daily_limits) between 1 and 90 and 0 < all (daily_limits))
);
comment on table warmup_plans is 'How much a new transport may send on each day, so that mailbox providers get to know it.';
comment on column warmup_plans.project_id is 'All zeros: a plan of the installation. No foreign key: deleting a project removes them.';
comment on column warmup_plans.daily_limits is 'Mails on the first day, the second and so on. After the last day there is no limit.';

create table transports (
  project_id uuid not null,
  id uuid not null default uuid_v7(),
  name text not null,
  kind text not null,
  url bytea,
  shown_url text,
  priority integer not null default 100,
  weight integer not null default 1,
  rate_per_second numeric,
  per_day integer,
  connections integer,
  warmup_plan_id uuid,
  warmup_since timestamptz,
  paused_at timestamptz,
  pause_reason text,
  held_until timestamptz,
  hold_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (project_id, id),
  constraint transports_kind check (kind in ('SMTP', 'DIRECT', 'CAPTURE')),
  constraint transports_url check ((kind = 'CAPTURE') = (url is null) and (url is null) = (shown_url is null)),
  constraint transports_positive check (
    priority between 0 and 1000000 and weight between 1 and 1000
    and rate_per_second > 0 and per_day > 0 and connections between 1 and 500
  ),
  constraint transports_paused check ((paused_at is null) = (pause_reason is null)),
  constraint transports_held check ((held_until is null) = (hold_reason is null)),
  constraint transports_warmup check ((warmup_plan_id is null) = (warmup_since is null)),
  -- Deferred: when a project is taken apart, its tables are emptied one by one in any order.
  foreign key (project_id, warmup_plan_id) references warmup_plans (project_id, id) deferrable initially deferred
);
comment on table transports is
'Ways out for mail beside the mail server of the settings (`SMTP_URL`), which has no row. There are few: every process keeps
all in memory, and reads them again every few seconds.';
comment on column transports.project_id is
'All zeros: a transport of the installation, for all projects. No foreign key: deleting a project removes its own.';
comment on column transports.url is 'With the password, sealed.';
comment on column transports.shown_url is 'The same without the password.';
comment on column transports.priority is 'Lower ones are used first; those with the same one share the mails by weight.';
comment on column transports.per_day is 'Mails from midnight to midnight, UTC.';
comment on column transports.warmup_since is 'The first day of its warm-up plan.';
comment on column transports.paused_at is 'Since when a person has paused it.';
comment on column transports.held_until is
'Until then no process uses it: its provider has refused the account, its quota or the log-in.';

create unique index transports_by_id on transports (id);
comment on index transports_by_id is 'Serves `transports.hold`: an id alone names a transport.';

create table transport_days (
  transport_id uuid not null,
  day date not null,
  taken integer not null,
  primary key (transport_id, day)
);
comment on table transport_days is
'How many mails transports with a daily limit were given on a day, UTC. Kept for two days. No foreign key: a row is written
for each pass, and what belongs to a removed transport goes with its day.';

create table routes (
  project_id uuid primary key,
  document jsonb not null,
  updated_at timestamptz not null default now(),
  edited_by text not null default ''
);
comment on table routes is
'Which mails take which transports, in an ordered document (`sending/transports/routes.ts`). Without a row: by priority and
weight.';
comment on column routes.edited_by is 'An address, or which key.';
comment on column routes.project_id is
'All zeros: of the installation, for projects without routes or transports of their own.';

alter table emails add column transport_id uuid;
comment on column emails.transport_id is
'The transport that the mail was last given to. Null for the mail server of the settings. No foreign key: it may be gone.';

create function take_of_day(transport uuid, on_day date, wanted integer, per_day integer) returns integer
language plpgsql as $$
declare
  granted integer;
begin
  insert into transport_days (transport_id, day, taken) values (transport, on_day, 0) on conflict do nothing;
  select least(wanted, greatest(0, per_day - d.taken)) into granted
  from transport_days d
  where d.transport_id = transport and d.day = on_day
  for update;
  update transport_days d set taken = d.taken + granted where d.transport_id = transport and d.day = on_day and granted > 0;
  return granted;
end $$;
comment on function take_of_day(uuid, date, integer, integer) is
'Takes mails out of what is left of the day of a transport, and returns how many of the wanted ones fit.';
