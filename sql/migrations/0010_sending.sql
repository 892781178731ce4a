create unlogged table send_rates (
  scope     uuid primary key,
  tokens    numeric not null,
  filled_at timestamptz not null
);

comment on table send_rates is
'Token buckets: how much a project may send at this moment. The nil UUID stands for the installation. Losing it in a
crash has an effect for a second only, so it is unlogged.';

create function take_sends(bucket uuid, wanted int, rate numeric, out granted int, out wait_ms int)
language plpgsql as $$
declare
  capacity numeric := greatest(1, rate);
  level numeric;
  since timestamptz;
begin
  insert into send_rates (scope, tokens, filled_at)
  values (bucket, capacity, clock_timestamp())
  on conflict do nothing;
  select tokens, filled_at into level, since from send_rates where scope = bucket for update;
  level := least(capacity, level + rate * greatest(0, extract(epoch from clock_timestamp() - since)));
  granted := least(wanted, floor(level)::int);
  update send_rates set tokens = level - granted, filled_at = clock_timestamp() where scope = bucket;
  wait_ms := ceil(1000 * greatest(0, 1 - (level - granted)) / rate)::int;
end $$;
comment on function take_sends is
'Takes up to `wanted` tokens from a bucket that fills at `rate` per second and holds one second''s worth. `wait_ms` is
the time until there is another token. All processes use the clock of Postgres.';

create type reputation_level as enum ('HEALTHY', 'WARNING', 'CRITICAL');

create table reputations (
  project_id          uuid primary key references projects on delete cascade,
  level               reputation_level not null,
  level_since         timestamptz not null,
  counts_from         date,
  forgiven_total      int not null default 0,
  forgiven_bounces    int not null default 0,
  forgiven_complaints int not null default 0
);

comment on table reputations is
'The reputation of each project with mailbox providers. A project without a row is HEALTHY.';
comment on column reputations.counts_from is
'The day on which a suspension was lifted. What happened before it, and what had been counted on it by then
(`forgiven_…`), is not held against the project again.';

create index reputations_not_healthy on reputations (project_id) where level <> 'HEALTHY';
comment on index reputations_not_healthy is 'Serves `reputation.standings`: hardly any project has another level.';

create table reputation_days (
  project_id uuid not null references projects on delete cascade,
  day        date not null,
  total      int not null,
  bounces    int not null,
  complaints int not null,
  primary key (project_id, day)
);

comment on table reputation_days is
'Mails handed over, permanent bounces and complaints, by day. A mail that bounced without being handed over counts as
both. The day (UTC) is the one on which it was written here, whatever other clocks say. What is still in
`reputation_deltas` is not included.';

create table reputation_deltas (
  project_id uuid not null,
  day        date not null,
  total      int not null,
  bounces    int not null,
  complaints int not null
);

comment on table reputation_deltas is 'What `count_emails` has counted since the last roll-up. Append-only.';

create index reputation_deltas_by_project on reputation_deltas (project_id);
comment on index reputation_deltas_by_project is 'Serves `reputation_since`.';

create function reputation_since(
  project uuid, first_day date, out total int, out bounces int, out complaints int
)
language sql stable parallel safe
return (
  select row(
    coalesce(sum(c.total), 0)::int, coalesce(sum(c.bounces), 0)::int, coalesce(sum(c.complaints), 0)::int
  )
  from (
    select d.total, d.bounces, d.complaints
    from reputation_days d
    where d.project_id = project and d.day >= first_day
    union all
    select d.total, d.bounces, d.complaints
    from reputation_deltas d
    where d.project_id = project and d.day >= first_day
    union all
    select -r.forgiven_total, -r.forgiven_bounces, -r.forgiven_complaints
    from reputations r
    where r.project_id = project and r.counts_from = first_day
  ) as c
);
comment on function reputation_since is 'What was counted since a day, without what was forgiven of that day.';

create table suspensions (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null default uuid_v7(),
  at         timestamptz not null,
  reason     text,
  lifted_at  timestamptz,
  primary key (project_id, id)
);

comment on table suspensions is 'Each period in which a project was disabled.';
comment on column suspensions.reason is 'EMAIL_REPUTATION, or the reason that the operator gave.';
