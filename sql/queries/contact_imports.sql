-- name: insert :exec
insert into contact_imports (project_id, id, dry_run)
values (:project_id, :import_id, :dry_run);

-- name: add_piece :exec
-- 0 when the import was cancelled meanwhile.
insert into contact_import_pieces (project_id, import_id, position, deflated)
select project_id, id, :position::int, :deflated::bytea
from contact_imports
where project_id = :project_id and id = :import_id and state = 'waiting';

-- name: by_id :maybe
-- The report.
select
  id, state, dry_run, row_count, rows_done, created_count, updated_count, failure_count, errors, examples, failed_reason,
  created_at, finished_at, file_name, created_by, uploaded_at, undo_state, undo_deleted, undo_restored, undo_kept
from contact_imports
where project_id = :project_id and id = :import_id;

-- name: begin :maybe
-- Marks an import as in progress, also one that a crash has left so. Null when it is done.
update contact_imports
set state = 'active'
where project_id = :project_id and id = :import_id and state in ('waiting', 'active')
returning dry_run, row_count, rows_done, failure_count, mapping, subscribes, bytes_done, lines_done;

-- name: piece :maybe
-- A piece of the file, counted from 0. Null after its end, and when the file is gone.
select deflated
from contact_import_pieces
where project_id = :project_id and import_id = :import_id and position = :position;

-- name: counted :exec
-- The file can be read to its end.
update contact_imports
set row_count = :row_count
where project_id = :project_id and id = :import_id and state = 'active';

-- name: hold :maybe
-- Locks an import that is at this row. Null when another process has taken it further, or it is done.
select id
from contact_imports
where project_id = :project_id and id = :import_id and state = 'active' and rows_done = :rows_done
for update;

-- name: advance :exec
-- Adds what happened to the rows after `rows_done`. 0 when another process has taken the import further.
update contact_imports
set
  rows_done     = rows_done + :rows,
  bytes_done    = :bytes_done,
  lines_done    = :lines_done,
  created_count = created_count + :created,
  updated_count = updated_count + :updated,
  failure_count = failure_count + :failed,
  errors        = errors || :errors::jsonb
where project_id = :project_id and id = :import_id and state = 'active' and rows_done = :rows_done;

-- name: complete :exec
-- An import that has reached its last row is done, and its file is dropped.
with done as (
  update contact_imports
  set state = 'completed', finished_at = now()
  where project_id = :project_id and id = :import_id and state = 'active' and rows_done = :rows_done
  returning project_id, id
)
delete from contact_import_pieces p
using done
where p.project_id = done.project_id and p.import_id = done.id;

-- name: fail :exec
-- An import that cannot be done. It stays so, and its file is dropped.
with done as (
  update contact_imports
  set state = 'failed', failed_reason = :reason, finished_at = now()
  where project_id = :project_id and id = :import_id and state in ('waiting', 'active')
  returning project_id, id
)
delete from contact_import_pieces p
using done
where p.project_id = done.project_id and p.import_id = done.id;

-- name: page :many
-- nullable: before_id
-- The reports, newest first, without their errors.
select
  id, state, dry_run, row_count, rows_done, created_count, updated_count, failure_count, '[]'::jsonb as "errors!",
  '[]'::jsonb as "examples!", failed_reason, created_at, finished_at, file_name, created_by, uploaded_at, undo_state,
  undo_deleted, undo_restored, undo_kept
from contact_imports
where project_id = :project_id and (:before_id::uuid is null or id < :before_id)
order by id desc
limit :limit::int;

-- name: count :one
-- How many reports of a project are kept.
select count(*)::int as "total!"
from contact_imports
where project_id = :project_id;

-- name: unfinished :one
-- How many files of a project wait for their import, or are on their way. An upload that began more than an hour ago and has
-- not ended is of a process that was killed.
select count(*)::int as "files!"
from contact_imports
where project_id = :project_id
  and state in ('waiting', 'active')
  and (uploaded_at is not null or created_at > now() - interval '1 hour');

-- name: begin_upload :exec
-- nullable: file_name, mapping, created_by
insert into contact_imports (project_id, id, dry_run, file_name, mapping, subscribes, created_by, uploaded_at)
values (:project_id, :import_id, :dry_run, :file_name, :mapping, :subscribes, :created_by, null);

-- name: uploaded :exec
-- The file is complete. 0 when the import was cancelled meanwhile.
update contact_imports
set uploaded_at = now()
where project_id = :project_id and id = :import_id and state = 'waiting';

-- name: drop :exec
delete from contact_imports
where project_id = :project_id and id = :import_id;

-- name: drop_abandoned :exec
-- Drops uploads that were never finished.
delete from contact_imports
where uploaded_at is null and created_at < :before;

-- name: existing :many
-- The contacts that have these addresses. `columns` are all but their data.
select c.email, c.data, to_jsonb(c) - 'data' as "columns!"
from unnest(:emails::text[]) as r (email)
cross join lateral (
  select *
  from contacts
  where project_id = :project_id and email between r.email and r.email
  order by email
  limit 1
) as c;

-- name: show_examples :exec
update contact_imports
set examples = :examples
where project_id = :project_id and id = :import_id;

-- name: note_existing :exec
-- Notes what contacts have that an import is about to change, and holds them. Of one that it comes to again, what it had
-- at first stays. `rows` holds `{email, given, sets}`, each address once; `given` is by columns. Contacts are looked up as in
-- contact_addresses.sql.
insert into contact_import_changes as h (
  project_id, import_id, contact_id, is_new, before, after, given_before, given_after, changed_at
)
select
  :project_id, :import_id, c.id, false,
  coalesce((select jsonb_object_agg(k, coalesce(c.data -> k, 'null')) from jsonb_object_keys(r.sets) as k), '{}'),
  r.sets,
  case
    when r.given = '{}' then '{}'
    else (
      select jsonb_object_agg(k, columns -> k) from to_jsonb(c) as columns, jsonb_object_keys(r.given) as k
    )
  end,
  r.given, now()
from (
  select *
  from json_to_recordset(:rows::json) as t (email text, given jsonb, sets jsonb)
  order by email
) as r
cross join lateral (
  select *
  from contacts
  where project_id = :project_id and email between r.email and r.email
  order by email
  limit 1
  for no key update
) as c
on conflict (project_id, import_id, contact_id) do update
set
  before       = excluded.before || h.before,
  after        = h.after || excluded.after,
  given_before = excluded.given_before || h.given_before,
  given_after  = h.given_after || excluded.given_after,
  changed_at   = excluded.changed_at;

-- name: note_new :exec
-- Notes the contacts that an import has made in this transaction.
insert into contact_import_changes (
  project_id, import_id, contact_id, is_new, before, after, given_before, given_after, changed_at
)
select :project_id, :import_id, id, true, '{}', '{}', '{}', '{}', now()
from unnest(:contact_ids::uuid[]) as r (id)
on conflict do nothing;

-- name: request_undo :maybe
-- Marks an import as being undone, once, also one that failed half-way. Null if it has not ended, was a dry run, is older than
-- `since`, or is undone.
update contact_imports
set undo_state = 'waiting'
where project_id = :project_id and id = :import_id and not dry_run and undo_state is null
  and state in ('completed', 'failed') and finished_at >= :since
returning id;

-- name: hold_undo :maybe
select undo_after
from contact_imports
where project_id = :project_id and id = :import_id and undo_state in ('waiting', 'active')
for update;

-- name: next_changes :many
-- nullable: after_id
-- The next contacts that an import has written, in the order of their ids.
select contact_id
from contact_import_changes
where project_id = :project_id and import_id = :import_id and (:after_id::uuid is null or contact_id > :after_id)
order by contact_id
limit :limit::int;

-- name: untouched :many
-- Those of them that the import has made, and that nobody has touched since: no change, no event of their own, no mail, no
-- workflow.
select c.id
from contact_import_changes h
join contacts c on c.project_id = h.project_id and c.id = h.contact_id
where h.project_id = :project_id and h.import_id = :import_id and h.contact_id = any(:contact_ids::uuid[])
  and h.is_new
  and c.updated_at = h.changed_at
  and not exists (
    select from events e
    where e.project_id = c.project_id and e.contact_id = c.id
      and e.name not in ('contact.subscribed', 'contact.unsubscribed')
      and e.name !~ '^segment[.].*[.](entry|exit)$'
  )
  and not exists (select from emails m where m.project_id = c.project_id and m.contact_id = c.id)
  and not exists (select from executions x where x.project_id = c.project_id and x.contact_id = c.id);

-- name: restorable :many
-- What contacts have to get back, where they still have the values of the import: of their columns, and of their data. Holds
-- them, in the order of `contacts.upsert_many`. Those that a reset is about to delete are left to it.
select
  c.email,
  coalesce((
    select jsonb_object_agg(k, h.given_before -> k)
    from to_jsonb(c) as columns, jsonb_object_keys(h.given_after) as k
    where columns -> k = h.given_after -> k and h.given_before -> k <> h.given_after -> k
  ), '{}') as "given!",
  coalesce((
    select jsonb_object_agg(k, h.before -> k)
    from jsonb_object_keys(h.after) as k
    where c.data -> k = h.after -> k and h.before -> k <> h.after -> k
  ), '{}') as "data!"
from contact_import_changes h
join contacts c on c.project_id = h.project_id and c.id = h.contact_id
where h.project_id = :project_id and h.import_id = :import_id and h.contact_id = any(:contact_ids::uuid[])
  and not h.is_new
  and not exists (select from reset_of(c))
order by c.email
for no key update of c;

-- name: advance_undo :exec
update contact_imports
set
  undo_state    = 'active',
  undo_after    = :after_id,
  undo_deleted  = undo_deleted + :deleted,
  undo_restored = undo_restored + :restored,
  undo_kept     = undo_kept + :kept
where project_id = :project_id and id = :import_id;

-- name: complete_undo :exec
-- An import that is undone, and what it did is forgotten.
with done as (
  update contact_imports
  set undo_state = 'completed'
  where project_id = :project_id and id = :import_id
  returning project_id, id
)
delete from contact_import_changes h
using done
where h.project_id = done.project_id and h.import_id = done.id;

-- name: drop_changes :exec
-- Forgets what imports did that were done before that time and are not being undone.
delete from contact_import_changes
where ctid = any (array(
  select h.ctid
  from contact_imports i
  join contact_import_changes h on h.project_id = i.project_id and h.import_id = i.id
  where i.finished_at < :before and i.undo_state is null
  limit :limit::int
));
