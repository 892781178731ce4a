-- name: insert :exec
-- nullable: url, access, sender
-- Fails by the index `moves_open` where another one of the project has not ended.
insert into moves (project_id, id, source, state, url, access, sender, created_by, created_at, changed_at)
values (
  :project_id, :move_id, :source, :state::move_state, :url, :access::bytea, :sender, :created_by, :now::timestamptz,
  :now
);

-- name: open :maybe
-- The one that has not ended.
select id, state
from moves
where project_id = :project_id and finished_at is null;

-- name: list :many
-- nullable: move_id, before_id
-- The moves of a project, newest first, or the one with this id.
select
  m.id, m.source, m.state, m.url, m.sender, m.as_state, m.created_by, m.step, m.counts, m.found, m.left_out_total,
  m.failures, m.failed_reason, m.created_at, m.started_at, m.finished_at,
  (
    select coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'bytes', f.bytes) order by f.id), '[]')
    from move_files f
    where f.project_id = m.project_id and f.move_id = m.id and f.uploaded_at is not null
  ) as "files!"
from moves m
where m.project_id = :project_id
  and (:move_id::uuid is null or m.id = :move_id)
  and (:before_id::uuid is null or m.id < :before_id)
order by m.id desc
limit :limit::int;

-- name: count :one
select count(*)::int as "total!"
from moves
where project_id = :project_id;

-- name: left_out :many
-- What did not come, in the order in which it was found, after a position.
select position, what, why
from move_left_out
where project_id = :project_id and move_id = :move_id and position > :after::int
order by position
limit :limit::int;

-- name: hold_uploading :maybe
-- Locks a move that takes files, and says what it has got.
select
  m.id,
  (select count(*)::int from move_files f where f.project_id = m.project_id and f.move_id = m.id) as "files!",
  (select coalesce(sum(f.bytes), 0)::float8 from move_files f where f.project_id = m.project_id and f.move_id = m.id)
    as "bytes!",
  exists (
    select from move_files f where f.project_id = m.project_id and f.move_id = m.id and f.uploaded_at is null
  ) as "is_uploading!"
from moves m
where m.project_id = :project_id and m.id = :move_id and m.state = 'UPLOADING'
for update;

-- name: begin_file :exec
insert into move_files (project_id, move_id, id, name)
values (:project_id, :move_id, :file_id, :name);

-- name: add_piece :exec
-- 0 when the move has been cancelled, the file was removed, or there is no room: uploads at the same time count together.
insert into move_file_pieces (project_id, move_id, file_id, position, deflated)
select f.project_id, f.move_id, f.id, :position::int, :deflated::bytea
from move_files f
join moves m on m.project_id = f.project_id and m.id = f.move_id and m.state = 'UPLOADING'
where f.project_id = :project_id
  and f.move_id = :move_id
  and f.id = :file_id
  and (
    select coalesce(sum(last.position + 1), 0)
    from move_files o
    cross join lateral (
      select p.position
      from move_file_pieces p
      where p.project_id = o.project_id and p.move_id = o.move_id and p.file_id = o.id
      order by p.position desc
      limit 1
    ) as last
    where o.project_id = f.project_id and o.move_id = f.move_id
  ) < :max_pieces::int;

-- name: end_file :exec
-- The file is complete. 0 when the move has been cancelled meanwhile.
with complete as (
  update move_files f
  set bytes = :bytes::bigint, uploaded_at = :now, name = :name
  where f.project_id = :project_id
    and f.move_id = :move_id
    and f.id = :file_id
    and exists (
      select from moves m where m.project_id = f.project_id and m.id = f.move_id and m.state = 'UPLOADING'
    )
  returning f.project_id, f.move_id
)
update moves m
set changed_at = :now
from complete c
where m.project_id = c.project_id and m.id = c.move_id;

-- name: drop_file :exec
-- Only as long as the move takes files.
delete from move_files f
using moves m
where f.project_id = :project_id
  and f.move_id = :move_id
  and f.id = :file_id
  and m.project_id = f.project_id
  and m.id = f.move_id
  and m.state = 'UPLOADING';

-- name: files :many
-- The files of a move, in the order in which they came.
select id, name, bytes::float8 as "bytes!"
from move_files
where project_id = :project_id and move_id = :move_id and uploaded_at is not null
order by id;

-- name: pieces :many
-- Pieces of a file from a position on. None after its end, and when the file is gone.
select deflated
from move_file_pieces
where project_id = :project_id and move_id = :move_id and file_id = :file_id and position >= :from::int
order by position
limit :limit::int;

-- name: check :exec
-- nullable: as_state
-- The dry run begins, from the beginning where there was one. 0 where the move is not at that point.
with begun as (
  update moves
  set
    state          = 'CHECKING',
    as_state       = coalesce(:as_state, as_state),
    step           = 'lists',
    page           = null,
    items_done     = 0,
    pages          = 0,
    failures       = 0,
    counts         = '{}',
    found          = null,
    left_out_total = 0,
    failed_reason  = null,
    changed_at     = :now
  where project_id = :project_id and id = :move_id and state in ('UPLOADING', 'READY')
  returning project_id, id
),
gone as (
  delete from move_left_out l
  using begun b
  where l.project_id = b.project_id and l.move_id = b.id
)
select id from begun;

-- name: start :maybe
-- After the dry run: everything from the beginning.
with begun as (
  update moves
  set
    state          = 'RUNNING',
    step           = 'lists',
    page           = null,
    items_done     = 0,
    pages          = 0,
    failures       = 0,
    counts         = '{}',
    left_out_total = 0,
    started_by     = :actor,
    started_at     = :now,
    changed_at     = :now
  where project_id = :project_id and id = :move_id and state = 'READY'
  returning project_id, id, source
),
gone as (
  delete from move_left_out l
  using begun b
  where l.project_id = b.project_id and l.move_id = b.id
)
select source from begun;

-- name: work :maybe
-- A move that is being checked or done, with everything that reading on needs.
select source, state, url, access, sender, as_state, step, page, items_done, failures, started_by
from moves
where project_id = :project_id and id = :move_id and state in ('CHECKING', 'RUNNING');

-- name: ids :many
-- Ids there and here; of segments, those that still exist.
select i.theirs, i.ours, i.is_list
from move_ids i
where i.project_id = :project_id
  and i.move_id = :move_id
  and (
    not i.is_list
    or exists (select from segments s where s.project_id = i.project_id and s.id = i.ours and s.type = 'STATIC')
  );

-- name: hold :maybe
-- nullable: page
-- Locks a move that is at this place. Null where another process has taken it further, or it has ended.
select counts, left_out_total, pages
from moves
where project_id = :project_id
  and id = :move_id
  and state = :state::move_state
  and step = :step
  and page is not distinct from :page
  and items_done = :items_done
for update;

-- name: advance :exec
-- nullable: page
-- Notes what came in, and where it goes on.
update moves
set
  step           = :step,
  page           = :page,
  items_done     = :items_done,
  pages          = :pages,
  failures       = 0,
  counts         = :counts,
  left_out_total = :left_out_total,
  changed_at     = :now
where project_id = :project_id and id = :move_id;

-- name: leave_out :exec
insert into move_left_out (project_id, move_id, position, what, why)
select :project_id, :move_id, r.position, r.what, r.why
from json_to_recordset(:rows::json) as r (position int, what text, why text);

-- name: note_ids :exec
insert into move_ids (project_id, move_id, theirs, ours, is_list)
select :project_id, :move_id, r.theirs, r.ours, r.is_list
from json_to_recordset(:rows::json) as r (theirs text, ours uuid, is_list boolean)
on conflict (project_id, move_id, theirs) do update
set ours = excluded.ours;

-- name: stumble :maybe
-- The other service could not be read: how often in a row now.
update moves
set failures = failures + 1, changed_at = :now
where project_id = :project_id and id = :move_id and state in ('CHECKING', 'RUNNING')
returning failures;

-- name: checked :exec
-- The dry run has seen everything.
update moves
set state = 'READY', found = counts, changed_at = :now
where project_id = :project_id and id = :move_id and state = 'CHECKING';

-- name: ask_for_files :exec
-- The files cannot be read as they are: others are needed, or a word about them.
update moves
set state = 'UPLOADING', failed_reason = :reason, counts = '{}', left_out_total = 0, changed_at = :now
where project_id = :project_id and id = :move_id and state = 'CHECKING';

-- name: end_with :exec
-- nullable: reason
-- Ends a move that has not ended: how the other service is read, its files and its ids are forgotten.
with ended as (
  update moves
  set
    state         = :state::move_state,
    failed_reason = :reason,
    access        = null,
    finished_at   = :now::timestamptz,
    changed_at    = :now
  where project_id = :project_id and id = :move_id and finished_at is null
  returning project_id, id
),
files as (
  delete from move_files f
  using ended e
  where f.project_id = e.project_id and f.move_id = e.id
),
ids as (
  delete from move_ids i
  using ended e
  where i.project_id = e.project_id and i.move_id = e.id
)
select id from ended;

-- name: expired :many
-- Those that wait for somebody since that time.
select project_id, id
from moves
where finished_at is null and state in ('UPLOADING', 'READY') and changed_at < :before
limit :limit::int;

-- name: drop_before :many
-- nullable: before
-- Those that were there before that time; without one: all. For the removal of a project, and for a reset.
delete from moves
where project_id = :project_id
  and id = any (array(
    select id
    from moves
    where project_id = :project_id and (:before::timestamptz is null or created_at <= :before)
    order by id
    limit :limit::int
  ))
returning id;
