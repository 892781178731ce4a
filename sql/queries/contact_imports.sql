-- name: insert :exec
insert into contact_imports (project_id, id, dry_run)
values (:project_id, :import_id, :dry_run);

-- name: add_piece :exec
insert into contact_import_pieces (project_id, import_id, position, deflated)
values (:project_id, :import_id, :position, :deflated);

-- name: by_id :maybe
-- The report.
select
  id, state, dry_run, row_count, rows_done, created_count, updated_count, failure_count, errors, failed_reason,
  created_at, finished_at
from contact_imports
where project_id = :project_id and id = :import_id;

-- name: begin :maybe
-- Marks an import as under way, also one that a crash has left so. Null when it is done.
update contact_imports
set state = 'active'
where project_id = :project_id and id = :import_id and state in ('waiting', 'active')
returning dry_run, row_count, rows_done, failure_count;

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
-- Locks an import that stands at this row. Null when another process has taken it further, or it is done.
select id
from contact_imports
where project_id = :project_id and id = :import_id and state = 'active' and rows_done = :rows_done
for update;

-- name: advance :exec
-- Adds what became of the rows after `rows_done`. 0 when another process has taken the import further.
update contact_imports
set
  rows_done     = rows_done + :rows,
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
