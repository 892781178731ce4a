-- Which mails have come to the end of their handover: whoever sends one marks it here before the line that ends it goes
-- over the wire. What a dead process claimed and has not marked was never sent; what it marked may have been.
--
-- A mark costs next to nothing: it is in no log, and nobody waits for a disk. A crash of Postgres empties the table, and so
-- each process first notes down itself, with the mail 0: without that note its marks say nothing.
create unlogged table handover_marks (
  worker_id uuid not null,
  email_id  uuid not null,
  primary key (worker_id, email_id)
);

-- The advisory lock between a process that marks (shared) and who buries it.
create function marks_of(worker uuid) returns bigint
language sql immutable parallel safe
return hashtextextended('marks of ' || worker::text, 0);

-- Marks these mails of a process, and answers those that it still holds: they may be ended. Null where the process is not
-- noted down: nothing is marked. Each statement of it sees what is committed when it begins, so behind the lock also what
-- somebody has done who buried this process meanwhile. The mails are looked at one by one, whatever the planner believes.
create function mark_handovers(worker uuid, projects uuid[], mails uuid[]) returns uuid[]
language plpgsql as $$
declare
  held uuid[];
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock_shared(marks_of(worker));
  if not exists (
    select from handover_marks
    where worker_id = worker and email_id = '00000000-0000-0000-0000-000000000000'
  ) then
    return null;
  end if;
  select coalesce(array_agg(a.id), '{}') into held
  from unnest(projects, mails) as a (project_id, id)
  where (
    select e.claimed_by = worker and e.status = 'SENDING'
    from emails e
    where e.project_id = a.project_id and e.id = a.id
  );
  insert into handover_marks (worker_id, email_id)
  select worker, unnest(held)
  on conflict do nothing;
  return held;
end $$;

-- Whether a mail that this process claimed may have been sent: it is marked, or its marks say nothing.
create function may_be_sent(worker uuid, mail uuid) returns boolean
language sql stable
return exists (select from handover_marks where worker_id = worker and email_id = mail)
  or not exists (
    select from handover_marks
    where worker_id = worker and email_id = '00000000-0000-0000-0000-000000000000'
  );

-- Since when the mail server lets this process in no more; null while it does.
alter table workers add column mail_away_since timestamptz;
