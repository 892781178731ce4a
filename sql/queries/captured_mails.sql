-- The inbox: of one project, or for the operator, without a `project_id`, of all.

-- name: insert :one
-- nullable: project_id, email_id
insert into captured_mails (project_id, email_id, from_address, to_address, subject, source)
values (
  coalesce(:project_id, '00000000-0000-0000-0000-000000000000'::uuid),
  :email_id, :from_address, :to_address, :subject, :source
)
returning id;

-- name: list :many
-- nullable: project_id, to, pattern, address_pattern, is_read
-- One page, newest first, of the mails that match. It looks through `window` mails at most, from the place on. One of
-- the two parts is never entered: each has its index, whatever plan is cached.
select
  m.id as "id!",
  nullif(m.project_id, '00000000-0000-0000-0000-000000000000') as "project_id?",
  m.email_id as "email_id?",
  m.from_address as "from_address!",
  m.to_address as "to_address!",
  m.subject as "subject!",
  m.captured_at as "captured_at!",
  m.read_at as "read_at?"
from (
  (
    select o.id, o.project_id, o.email_id, o.from_address, o.to_address, o.subject, o.captured_at, o.read_at
    from captured_mails o
    where o.project_id = :project_id and o.id > :after and o.id < :before
    order by o.id desc
    limit :window::int
  )
  union all
  (
    select o.id, o.project_id, o.email_id, o.from_address, o.to_address, o.subject, o.captured_at, o.read_at
    from captured_mails o
    where :project_id::uuid is null and o.id > :after and o.id < :before
    order by o.id desc
    limit :window::int
  )
) as m
where (:to::text is null or lower(m.to_address) = :to)
  and (:is_read::boolean is null or (m.read_at is not null) = :is_read)
  and (
    :pattern::text is null
    or m.subject ilike :pattern
    or m.to_address ilike :address_pattern
    or m.from_address ilike :address_pattern
  )
order by m.id desc
limit :limit::int;

-- name: count :one
-- nullable: project_id, to, pattern, address_pattern, is_read
-- How many of the newest `window` mails match, and how many of them all are unread.
select
  count(*) filter (
    where (:to::text is null or lower(m.to_address) = :to)
      and (:is_read::boolean is null or (m.read_at is not null) = :is_read)
      and (
        :pattern::text is null
        or m.subject ilike :pattern
        or m.to_address ilike :address_pattern
        or m.from_address ilike :address_pattern
      )
  )::int as "total!",
  count(*) filter (where m.read_at is null)::int as "unread!"
from (
  (
    select o.from_address, o.to_address, o.subject, o.read_at
    from captured_mails o
    where o.project_id = :project_id
    order by o.id desc
    limit :window::int
  )
  union all
  (
    select o.from_address, o.to_address, o.subject, o.read_at
    from captured_mails o
    where :project_id::uuid is null
    order by o.id desc
    limit :window::int
  )
) as m;

-- name: by_id :maybe
-- nullable: project_id
select
  m.id,
  nullif(m.project_id, '00000000-0000-0000-0000-000000000000') as "project_id?",
  m.email_id, m.from_address, m.to_address, m.subject, m.source, m.captured_at, m.read_at
from captured_mails m
where m.id = :id and (:project_id::uuid is null or m.project_id = :project_id);

-- name: mark :exec
-- nullable: project_id
update captured_mails m
set read_at = case when :is_read::boolean then coalesce(m.read_at, :now) end
where m.id = :id and (:project_id::uuid is null or m.project_id = :project_id);

-- name: mark_some :exec
-- nullable: project_id
update captured_mails m
set read_at = case when :is_read::boolean then :now::timestamptz end
where m.id = any(:ids::uuid[])
  and (:project_id::uuid is null or m.project_id = :project_id)
  and (m.read_at is not null) <> :is_read;

-- name: mark_all :exec
update captured_mails
set read_at = case when :is_read::boolean then :now::timestamptz end
where project_id = :project_id and (read_at is not null) <> :is_read;

-- name: mark_everywhere :exec
update captured_mails
set read_at = case when :is_read::boolean then :now::timestamptz end
where (read_at is not null) <> :is_read;

-- name: delete :exec
-- nullable: project_id
delete from captured_mails m
where m.id = :id and (:project_id::uuid is null or m.project_id = :project_id);

-- name: delete_some :exec
-- nullable: project_id
delete from captured_mails m
where m.id = any(:ids::uuid[]) and (:project_id::uuid is null or m.project_id = :project_id);

-- name: clear :exec
delete from captured_mails
where project_id = :project_id;

-- name: clear_everywhere :exec
delete from captured_mails;

-- name: projects :many
-- Those that have captured mails, by name; each costs one look into the index.
select p.id, p.name || case when p.sandbox_of is null then '' else ' (test)' end as "name!"
from projects p
where exists (select from captured_mails m where m.project_id = p.id)
order by p.name, p.id
limit :limit::int;

-- name: prune :exec
-- nullable: project_id
-- Keeps the newest `keep` mails of a project, or of the installation itself.
delete from captured_mails m
using (select coalesce(:project_id, '00000000-0000-0000-0000-000000000000'::uuid) as id) as p
where m.project_id = p.id
  and m.id <= (
    select k.id
    from captured_mails k
    where k.project_id = coalesce(:project_id, '00000000-0000-0000-0000-000000000000'::uuid)
    order by k.id desc
    offset :keep::int
    limit 1
  );

-- name: drop_old :exec
-- Deletes some of those captured before that time.
delete from captured_mails
where id in (
  select id from captured_mails where id < first_id_at(:before) order by id limit :limit::int
);
