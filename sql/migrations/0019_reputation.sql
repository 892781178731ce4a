create type reputation_level as enum ('HEALTHY', 'WARNING', 'CRITICAL');

-- Where each project stands with the mailbox providers. One without a row is HEALTHY.
create table reputations (
  project_id          uuid primary key references projects on delete cascade,
  level               reputation_level not null,
  level_since         timestamptz not null,
  -- The day on which a suspension was lifted, and what that day had counted by then: neither that nor what was before
  -- is held against the project again.
  counts_from         date,
  forgiven_total      int not null default 0,
  forgiven_bounces    int not null default 0,
  forgiven_complaints int not null default 0
);

-- Serves `reputation.standings`: hardly any project has another level.
create index reputations_not_healthy on reputations (project_id) where level <> 'HEALTHY';

-- Mails that were handed over or bounced instead, permanent bounces and complaints, by the day (UTC) on which they
-- were written down here, whatever the clocks of others say; but for what still stands in `reputation_deltas`.
create table reputation_days (
  project_id uuid not null references projects on delete cascade,
  day        date not null,
  total      int not null,
  bounces    int not null,
  complaints int not null,
  primary key (project_id, day)
);

-- What `count_emails` has counted since the last fold. Only appended to.
create table reputation_deltas (
  project_id uuid not null,
  day        date not null,
  total      int not null,
  bounces    int not null,
  complaints int not null
);

-- Serves `reputation_since`.
create index reputation_deltas_by_project on reputation_deltas (project_id);

-- What was counted from a day on, without what was forgiven of that day.
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

-- Every time that a project was disabled, and until when.
create table suspensions (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null default uuid_v7(),
  at         timestamptz not null,
  -- EMAIL_REPUTATION, or the operator's words.
  reason     text,
  lifted_at  timestamptz,
  primary key (project_id, id)
);
