-- What is counted of a project, and may be limited: mails by where they come from, and mails that it receives.
create type usage_category as enum ('workflows', 'campaigns', 'transactional', 'inbound');

-- How much a project may use in a calendar month (UTC). A category without a row has no limit.
create table usage_limits (
  project_id    uuid not null references projects on delete cascade,
  category      usage_category not null,
  monthly_limit bigint not null check (monthly_limit > 0),
  primary key (project_id, category)
);

-- What was accepted in a calendar month (UTC), but for what still stands in `usage_deltas`.
create table usage_months (
  project_id uuid not null references projects on delete cascade,
  month      date not null check (extract(day from month) = 1),
  category   usage_category not null,
  used       bigint not null,
  primary key (project_id, month, category)
);

-- What was accepted since the last fold, where there is no limit. Only appended to: no sender waits for another one.
create table usage_deltas (
  project_id uuid not null,
  month      date not null,
  category   usage_category not null,
  used       int not null
);

-- Serves `usage_of`.
create index usage_deltas_by_project on usage_deltas (project_id);

-- The month (UTC) of a moment, by its first day.
create function usage_month(at timestamptz) returns date
language sql immutable parallel safe
return date_trunc('month', at at time zone 'UTC')::date;

-- What was accepted of a category in a month.
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

-- Takes as much of the month as is wanted, or as is left of it, and answers how much that is. Called in the statement
-- that accepts it: so what is counted is what was accepted. Where there is a limit, whoever takes of it holds it until
-- the commit, and the next one sees what was taken. `only_whole`: all of it or nothing, which is the error PU402.
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

-- Who was told in which month that so many percent of a limit are used.
create table usage_warnings (
  project_id uuid not null references projects on delete cascade,
  month      date not null,
  category   usage_category not null,
  percent    int not null,
  primary key (project_id, month, category, percent)
);

-- Recipients of whom the month had none left when the audience was frozen: their mails are FAILED, and say so.
alter table campaigns add column over_limit_count int not null default 0;
