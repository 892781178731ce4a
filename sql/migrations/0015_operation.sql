create table workers (
  id         uuid primary key,
  lock_id    int not null unique generated always as identity,
  host       text not null,
  pid        int not null,
  pools      text[] not null default '{}',
  started_at timestamptz not null default now(),
  seen_at    timestamptz not null default now(),
  mail_away_since timestamptz,
  standing   text[] not null default '{}',
  captures   boolean not null default false
);

comment on table workers is
'The processes that run jobs. The row is the heartbeat; a live process also holds an advisory lock named by `lock_id`,
which Postgres releases as soon as its connection ends.';
comment on column workers.pools is 'The worker ids under which graphile-worker locks jobs for it.';
comment on column workers.mail_away_since is
'Since when the mail server has refused this process; null while it does not.';
comment on column workers.standing is
'Lanes of jobs in which the process makes no progress, although jobs are due.';
comment on column workers.captures is
'Whether the process captures mail, because it has no `SMTP_URL`: released mails must not reach such a process.';

create function marks_of(worker uuid) returns bigint
language sql immutable parallel safe
return hashtextextended('marks of ' || worker::text, 0);
comment on function marks_of is
'Key of the advisory lock between a process that marks its handovers (shared) and the one that reaps that process.';

create unlogged table handover_notes (
  worker_id uuid primary key,
  epoch     int not null
);

comment on table handover_notes is
'The processes whose marks can be relied on. A process adds itself before it makes any. Empty after a crash of
Postgres, like the marks. `epoch` grows each time that a process adds itself: the highest counts, in whatever order they
arrive.';

create unlogged table handover_marks (
  worker_id uuid not null,
  place     int not null,
  email_ids uuid[] not null,
  primary key (worker_id, place)
) with (fillfactor = 40);

comment on table handover_marks is
'Mails that a process has handed over, or was about to. Written before the last line of a mail goes over the wire: what
a dead process claimed and has not marked was never sent; what it marked may have been.

A mark costs almost nothing: the table is unlogged, and no process waits for a disk. There is one row for each group of
mails that reach their last line together; a later group overwrites it once all of its mails are settled, so that
settling does not touch marks. The fill factor leaves room to update a row in its page.';

create function mark_handovers(worker uuid, noted int, in_place int, projects uuid[], mails uuid[]) returns uuid[]
language plpgsql as $$
declare
  held uuid[];
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock_shared(marks_of(worker));
  if not exists (select from handover_notes n where n.worker_id = worker and n.epoch = noted) then
    return null;
  end if;
  select coalesce(array_agg(a.id), '{}') into held
  from unnest(projects, mails) as a (project_id, id)
  where (
    select e.claimed_by = worker and e.status = 'SENDING'
    from emails e
    where e.project_id = a.project_id and e.id = a.id
  );
  insert into handover_marks as m (worker_id, place, email_ids)
  values (worker, in_place, held)
  on conflict (worker_id, place) do update set email_ids = excluded.email_ids;
  return held;
end $$;
comment on function mark_handovers is
'Marks these mails of a process, and returns those that it still holds: they may be completed. Null where the process
is not in `handover_notes` with this epoch: nothing is marked. Each statement in it sees what is committed when it
begins, so after taking the lock also what was done by a process that has reaped this one meanwhile. The mails are
looked up one by one, whatever the planner estimates, and every time: mails are taken away not only when a process is
reaped, but also by its own heartbeat, when the response to a claim is late, and by the removal of a project.';

create function may_be_sent(worker uuid, mail uuid) returns boolean
language sql stable
return exists (select from handover_marks m where m.worker_id = worker and mail = any(m.email_ids))
  or not exists (select from handover_notes n where n.worker_id = worker);
comment on function may_be_sent is
'Whether a mail that this process claimed may have been sent: it is marked, or the marks of the process cannot be
relied on.';

create table expired (
  kind  text primary key check (kind in ('events', 'emails')),
  until timestamptz not null
);

comment on table expired is
'The time up to which rows may have been removed because of their age. What was counted of them stays counted.';

create function expired_until(project uuid, of_kind text) returns timestamptz
language sql stable parallel safe
return (
  select x.until
  from expired x
  join projects p on p.id = project and p.created_at < x.until
  where x.kind = of_kind
);
comment on function expired_until is
'The same for a project; null if no row of it has been removed since it was created.';

create function counts_rollup_lock() returns bigint
language sql immutable parallel safe
return hashtextextended('roll-up of counts', 0);
comment on function counts_rollup_lock is
'Key of the advisory lock that the roll-up of deltas holds, whatever they count.';

create function recounting(project uuid, kind text) returns bigint
language sql immutable parallel safe
return hashtextextended('recounting ' || kind || ' ' || project::text, 0);
comment on function recounting is
'Key of the advisory lock that a recount of events, mails or executions of a project holds.';

create function event_count_faults(project uuid, first_day date, last_day date, forgets boolean)
returns table (day date, name text, facts bigint, counted bigint)
language sql stable parallel safe
begin atomic
  select s.day, s.name, sum(s.facts)::bigint, sum(s.counted)::bigint
  from (
    select (e.created_at at time zone 'UTC')::date as day, e.name, 1 as facts, 0 as counted
    from events e
    where e.project_id = project
      and e.id >= first_id_at((first_day - 1)::timestamp at time zone 'UTC')
      and e.id < first_id_at((last_day + 2)::timestamp at time zone 'UTC')
      and (e.created_at at time zone 'UTC')::date between first_day and last_day
    union all
    select c.day, c.name, 0, c.count
    from event_counts_of(project, first_day, last_day) as c
  ) as s
  where forgets
    or s.day > coalesce(
      (select (expired_until(project, 'events') at time zone 'UTC')::date + 1),
      '-infinity'
    )
  group by s.day, s.name
  having sum(s.facts) <> sum(s.counted);
end;
comment on function event_count_faults is
'The days on which the events differ from their counters, both as they are at this moment. Events are found by their
ids, which are at most a day away from their time. Days whose events may have expired are left out, unless their counts
are to be dropped.';

create function mail_facts(project uuid, after uuid, up_to uuid)
returns table (at timestamptz, source_type email_source, campaign_id uuid, measure text)
language sql stable parallel safe
begin atomic
  select t.at, e.source_type, coalesce(e.campaign_id, '00000000-0000-0000-0000-000000000000'), t.measure
  from emails e
  cross join lateral (
    values
      ('sent', e.sent_at), ('delivered', e.delivered_at), ('opened', e.opened_at), ('clicked', e.clicked_at),
      ('bounced', e.bounced_at), ('complained', e.complained_at), ('unsubscribed', e.unsubscribed_at),
      ('bot_opened', e.bot_opened_at)
  ) as t (measure, at)
  where e.project_id = project and e.id > after and e.id <= up_to and t.at is not null;
end;
comment on function mail_facts is
'Every timestamp in the ledger that the counters of mails count, for the mails after one id and up to another.';

create function mail_counts_by_measure(project uuid)
returns table (at timestamptz, source_type email_source, campaign_id uuid, measure text, count int)
language sql stable parallel safe
begin atomic
  select c.at, c.source_type, c.campaign_id, m.measure, m.count
  from mail_counts_of(project, '-infinity', 'infinity') as c
  cross join lateral (
    values
      ('sent', c.sent), ('delivered', c.delivered), ('opened', c.opened), ('clicked', c.clicked),
      ('bounced', c.bounced), ('complained', c.complained), ('unsubscribed', c.unsubscribed),
      ('bot_opened', c.bot_opened)
  ) as m (measure, count)
  where m.count <> 0;
end;
comment on function mail_counts_by_measure is 'The same from the counters: a row for each measure that is not zero.';

create function mail_count_faults(project uuid, forgets boolean)
returns table (
  at timestamptz, source_type email_source, campaign_id uuid, measure text, facts bigint, counted bigint
)
language sql stable parallel safe
begin atomic
  select s.at, s.source_type, s.campaign_id, s.measure, sum(s.facts)::bigint, sum(s.counted)::bigint
  from (
    select quarter_of(f.at) as at, f.source_type, f.campaign_id, f.measure, 1 as facts, 0 as counted
    from mail_facts(
      project, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    ) as f
    union all
    select c.at, c.source_type, c.campaign_id, c.measure, 0, c.count
    from mail_counts_by_measure(project) as c
  ) as s
  group by s.at, s.source_type, s.campaign_id, s.measure
  having sum(s.facts) <> sum(s.counted)
    and (forgets or sum(s.facts) > sum(s.counted) or (select expired_until(project, 'emails')) is null);
end;
comment on function mail_count_faults is
'The quarters of an hour in which the ledger differs from its counters, both as they are at this moment. Where mails
may have expired, the counters may count more than the ledger holds: there, only what they lack is a fault, unless the
surplus is to be dropped.';

create table unnamed_proxies (
  peer    text primary key check (length(peer) <= 100),
  seen_at timestamptz not null
);

comment on table unnamed_proxies is
'Addresses that have sent requests with X-Forwarded-For without being named in TRUSTED_PROXIES. Each process writes a
row at most once an hour.';
