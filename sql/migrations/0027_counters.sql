-- Events of a name on a day (UTC, of `created_at`), but for what still stands in `event_count_deltas`. They outlive the
-- partitions of the events.
create table event_counts (
  project_id uuid not null references projects on delete cascade,
  day        date not null,
  name       text not null,
  count      bigint not null,
  primary key (project_id, day, name)
);

-- Serves the counting of one name.
create index event_counts_by_name on event_counts (project_id, name, day);

-- The same of all days together, so that a project that is ten years old is not slower than a new one.
create table event_totals (
  project_id uuid not null references projects on delete cascade,
  name       text not null,
  count      bigint not null,
  primary key (project_id, name)
);

-- What was counted since the last fold. Only appended to.
create table event_count_deltas (
  project_id uuid not null,
  day        date not null,
  name       text not null,
  count      bigint not null
);

-- Serves the reading of counts.
create index event_count_deltas_by_project on event_count_deltas (project_id, day);

-- Events by name on the days (UTC) from one to another, both among them. A day comes in pieces, which whoever reads it
-- sums up: then nobody forgets what is not folded yet.
create function event_counts_of(project uuid, first_day date, last_day date)
returns table (day date, name text, count bigint)
language sql stable parallel safe
begin atomic
  select c.day, c.name, c.count
  from event_counts c
  where c.project_id = project and c.day >= first_day and c.day <= last_day
  union all
  select d.day, d.name, d.count
  from event_count_deltas d
  where d.project_id = project and d.day >= first_day and d.day <= last_day;
end;

-- Events by name of all time. A name comes in pieces too, and may come to nothing.
create function event_totals_of(project uuid)
returns table (name text, count bigint)
language sql stable parallel safe
begin atomic
  select t.name, t.count
  from event_totals t
  where t.project_id = project
  union all
  select d.name, d.count
  from event_count_deltas d
  where d.project_id = project;
end;

-- Counts events in the very statement that records them.
create function count_events_added() returns trigger
language plpgsql as $$
begin
  insert into event_count_deltas (project_id, day, name, count)
  select project_id, (created_at at time zone 'UTC')::date, name, count(*)
  from added
  group by 1, 2, 3;
  return null;
end $$;

-- Events that go with their contact, or by their name, were never there. A partition that is dropped takes none along.
create function count_events_removed() returns trigger
language plpgsql as $$
begin
  insert into event_count_deltas (project_id, day, name, count)
  select project_id, (created_at at time zone 'UTC')::date, name, -count(*)
  from removed
  group by 1, 2, 3;
  return null;
end $$;

create trigger events_count_added
after insert on events referencing new table as added
for each statement execute function count_events_added();

create trigger events_count_removed
after delete on events referencing old table as removed
for each statement execute function count_events_removed();

-- What became of mails from one moment until before another, both at the start of a quarter of an hour. A quarter comes
-- in pieces, which whoever reads it sums up: then nobody forgets what is not folded yet.
create function mail_counts_of(project uuid, since timestamptz, until timestamptz)
returns table (
  at timestamptz, source_type email_source, campaign_id uuid, sent int, delivered int, opened int, clicked int,
  bounced int, complained int, unsubscribed int, machine_opened int
)
language sql stable parallel safe
begin atomic
  select
    c.at, c.source_type, c.campaign_id, c.sent, c.delivered, c.opened, c.clicked, c.bounced, c.complained,
    c.unsubscribed, c.machine_opened
  from mail_counts c
  where c.project_id = project and c.at >= since and c.at < until
  union all
  select
    d.at, d.source_type, d.campaign_id, d.sent, d.delivered, d.opened, d.clicked, d.bounced, d.complained,
    d.unsubscribed, d.machine_opened
  from mail_count_deltas d
  where d.project_id = project and d.at >= since and d.at < until;
end;

-- Until when rows may have been taken away because of their age. What was counted of them stays counted.
create table expired (
  kind  text primary key check (kind in ('events', 'emails')),
  until timestamptz not null
);

-- The same for a project; null where none of its rows has been taken away since it was made.
create function expired_until(project uuid, of_kind text) returns timestamptz
language sql stable parallel safe
return (
  select x.until
  from expired x
  join projects p on p.id = project and p.created_at < x.until
  where x.kind = of_kind
);

-- The advisory lock of whoever folds deltas, whatever they count.
create function folding_of_counts() returns bigint
language sql immutable parallel safe
return hashtextextended('folding of counts', 0);

-- The advisory lock of whoever counts events, mails or executions of a project anew.
create function recounting(project uuid, kind text) returns bigint
language sql immutable parallel safe
return hashtextextended('recounting ' || kind || ' ' || project::text, 0);

-- The days on which the events say something else than their counters, both as they are at this very moment. Events are
-- found by their ids, which are at most a day away from their time. Days of which events may have expired at that moment
-- are left out, unless what was counted of them is to be forgotten.
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

-- Every time in the ledger, of the mails after one id up to another: what the counters of mails count.
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
      ('machine_opened', e.machine_opened_at)
  ) as t (measure, at)
  where e.project_id = project and e.id > after and e.id <= up_to and t.at is not null;
end;

-- The same from the counters: a row for each measure of a piece that is not nothing.
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
      ('machine_opened', c.machine_opened)
  ) as m (measure, count)
  where m.count <> 0;
end;

-- The quarters of an hour of which the ledger says something else than its counters, both as they are at this very
-- moment. Where mails may have expired by then the counters know more, and only what they lack is a fault, unless what
-- they know more is to be forgotten.
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
