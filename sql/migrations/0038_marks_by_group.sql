-- Marks of handovers are written as they are made: a row for each group of mails that come to their ends together, in place
-- of a row for each mail, and rewritten by a later group when all of its mails are settled. Settling touches no mark.
drop function mark_handovers(uuid, uuid[], uuid[]);
drop function may_be_sent(uuid, uuid);
drop table handover_marks;

-- Which processes are noted down: the marks of others say nothing. Like the marks it is empty after a crash of Postgres.
-- `epoch` grows with each time that a process notes itself down: the latest counts, in whatever order they arrive.
create unlogged table handover_notes (
  worker_id uuid primary key,
  epoch     int not null
);

-- Mails whose end was, or may just have been, sent by a process. They lie in the place of their group; what is settled among
-- them means nothing any more. Room is left in each page, so that a place is rewritten where it is.
create unlogged table handover_marks (
  worker_id uuid not null,
  place     int not null,
  email_ids uuid[] not null,
  primary key (worker_id, place)
) with (fillfactor = 40);

-- Marks these mails of a process, and answers those that it still holds: they may be ended. Null where the process is not
-- noted down with this epoch: nothing is marked. Each statement of it sees what is committed when it begins, so behind the
-- lock also what somebody has done who buried this process meanwhile. The mails are looked at one by one, whatever the
-- planner believes, and in any case: not only burials take mails away, but also the heartbeat of the process itself, when
-- the answer to a claim is long in coming, and whoever empties the project.
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

-- Whether a mail that this process claimed may have been sent: it is marked, or its marks say nothing.
create function may_be_sent(worker uuid, mail uuid) returns boolean
language sql stable
return exists (select from handover_marks m where m.worker_id = worker and mail = any(m.email_ids))
  or not exists (select from handover_notes n where n.worker_id = worker);
