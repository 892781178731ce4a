-- name: list :many
select
  id, name, slug, description, type, condition, track_membership, member_count, project_id, created_at, updated_at
from segments
where project_id = :project_id
order by id desc;

-- name: by_id :maybe
select
  id, name, slug, description, type, condition, track_membership, member_count, project_id, created_at, updated_at
from segments
where project_id = :project_id and id = :segment_id;

-- name: lock :maybe
-- The segment, held until the end of the transaction: memberships of one segment are computed one after another.
select id, name, slug, type, condition, track_membership
from segments
where project_id = :project_id and id = :segment_id
for update;

-- name: lock_all :exec
-- Segments of one project are created and changed one after another: slugs stay unique, and no two concurrent changes
-- can make conditions refer to each other.
select id
from projects
where id = :project_id
for no key update;

-- name: conditions :many
-- What every segment of the project is made of: conditions may refer to any of them.
select id, type, condition
from segments
where project_id = :project_id;

-- name: insert :one
-- nullable: description, condition
-- If a slug is taken, the next free number is appended. Concurrent ones meet at the unique constraint.
insert into segments (project_id, name, slug, description, type, condition, track_membership)
select
  :project_id,
  :name,
  (
    select candidate
    from (
      select case when n = 1 then :slug::text else :slug::text || '-' || n end as candidate, n
      from generate_series(1, 1 + (select count(*) from segments where project_id = :project_id)) as n
    ) as candidates
    where not exists (select from segments s where s.project_id = :project_id and s.slug = candidate)
    order by n
    limit 1
  ),
  :description,
  :type,
  :condition,
  :track_membership
returning id;

-- name: patch :exec
-- nullable: name, description, condition, track_membership
-- Changes what is given of a segment that is held. Its time stays where that is what it was.
with given as (
  select
    id,
    coalesce(:name, name) as name,
    case when :set_description::boolean then :description else description end as description,
    coalesce(:condition, condition) as condition,
    coalesce(:track_membership, track_membership) as track_membership
  from segments
  where project_id = :project_id and id = :segment_id
)
update segments s
set
  name             = g.name,
  description      = g.description,
  condition        = g.condition,
  track_membership = g.track_membership,
  updated_at       = case
    when (s.name, s.description, s.condition, s.track_membership)
      is distinct from (g.name, g.description, g.condition, g.track_membership) then now()
    else s.updated_at
  end
from given g
where s.project_id = :project_id and s.id = g.id;

-- name: set_count :exec
update segments
set member_count = :member_count
where project_id = :project_id and id = :segment_id;

-- name: remove :exec
delete from segments
where project_id = :project_id and id = :segment_id;

-- name: referring_to :many
-- The other segments whose condition names this one; an id may be written in either case.
select id, name
from segments
where project_id = :project_id
  and id <> :segment_id
  and lower(condition::text)::jsonb @? format('$.**.field ? (@ == %s)', to_json(:field::text))::jsonpath
order by name;

-- name: used_by_campaigns :many
-- The campaigns on their way to be sent whose audience is this segment, or a condition that names it.
select id, name
from campaigns
where project_id = :project_id
  and status in ('DRAFT', 'SCHEDULED', 'SENDING')
  and (
    segment_id = :segment_id
    or lower(audience_condition::text)::jsonb
      @? format('$.**.field ? (@ == %s)', to_json(:field::text))::jsonpath
  )
order by name, id;

-- name: referring_to_field :many
-- The segments whose condition names this field of contacts, or a path below it.
select id, name
from segments
where project_id = :project_id
  and condition @? format(
    '$.**.field ? (@ == %s || @ starts with %s)', to_json(:field::text), to_json(:field::text || '.')
  )::jsonpath
order by name;

-- name: tracked :many
-- nullable: project_id
-- The dynamic segments whose membership is kept up, of one project or of all. Outdated is one that was never worked out,
-- or not since its condition changed. Not those of a project that is being imported: they would miss whoever is to come.
select project_id, id, computed_at is null as "outdated!"
from segments
where track_membership
  and type = 'DYNAMIC'
  and not is_moving_in(project_id)
  and (:project_id::uuid is null or project_id = :project_id)
order by project_id, id;

-- name: count_stored :one
-- Counts the stored members of a segment that is held, and notes that its membership is worked out.
update segments
set
  member_count = (
    select count(*) from segment_members m where m.project_id = :project_id and m.segment_id = :segment_id
  ),
  computed_at  = now()
where project_id = :project_id and id = :segment_id
returning member_count;

-- name: outdate :exec
-- The membership of this tracked segment, and of those that may refer to it, has to be recomputed.
update segments
set computed_at = null
where project_id = :project_id
  and track_membership
  and type = 'DYNAMIC'
  and (id = :segment_id or condition::text like '%"segment.%');

-- name: holding :many
-- The segments that keep any of these contacts as members.
select distinct segment_id
from segment_members
where project_id = :project_id and contact_id = any(:contact_ids::uuid[]);

-- name: recount :exec
-- Counts the stored members of a segment that is held, after contacts were deleted.
update segments
set member_count = (
  select count(*) from segment_members m where m.project_id = :project_id and m.segment_id = :segment_id
)
where project_id = :project_id and id = :segment_id;

-- name: sizes :many
-- How many members a segment had, day by day.
select day, members
from segment_sizes
where project_id = :project_id and segment_id = :segment_id and day between :from and :until
order by day;

-- name: sizes_of_newest :many
-- How many members each of the newest segments had, with an entry for each of these days: -1 where none was counted.
select s.id, z.members as "members!"
from (
  select project_id, id from segments where project_id = :project_id order by id desc limit :limit::int
) as s
cross join lateral (
  select array_agg(coalesce(d.members, -1) order by n) as members
  from generate_series(0, :until::date - :from::date) as n
  left join segment_sizes d
    on d.project_id = s.project_id and d.segment_id = s.id and d.day = :from::date + n
    and d.day between :from::date and :until::date
) as z
order by s.id desc;

-- name: unsized :many
-- Segments of which no size is noted for a day, in the order of their ids: of projects that are not deleted, nor still
-- being imported.
select s.project_id, s.id
from segments s
join projects p on p.id = s.project_id and p.deleted_at is null
where (s.project_id, s.id) > (:after_project, :after_id)
  and not is_moving_in(s.project_id)
  and not exists (
    select
    from segment_sizes z
    where z.project_id = s.project_id and z.segment_id = s.id and z.day = :day
  )
order by s.project_id, s.id
limit :limit::int;

-- name: note_size :exec
-- Notes the size of a segment whose members are kept up as they come and go.
insert into segment_sizes (project_id, segment_id, day, members)
select project_id, id, :day, member_count
from segments
where project_id = :project_id and id = :segment_id
on conflict do nothing;
