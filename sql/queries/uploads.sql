-- name: again :maybe
-- What a project has under this key, which is uploaded once more: it is as new. Null if there is nothing.
update uploads
set created_at = :now
where project_id = :project_id and key = :key
returning content_type, size, bytes is null as "in_s3!", stored_at is not null as "stored!";

-- name: keep :exec
-- nullable: bytes, stored_at
-- Stores an image, if all images of the project fit into `limit_mb`. No row where they do not, or where the image is
-- stored already; one that never reached S3 is started again.
insert into uploads (project_id, key, content_type, size, bytes, stored_at, created_at)
select :project_id, :key, :content_type, :size, :bytes, :stored_at, :now
where :size + (select coalesce(sum(size), 0) from uploads where project_id = :project_id) <= :limit_mb::int * 1048576::bigint
on conflict (project_id, key) do update
set size = excluded.size, bytes = excluded.bytes, stored_at = excluded.stored_at
where uploads.stored_at is null;

-- name: stored :exec
-- It is in S3 now. No row where it was removed in the meantime.
update uploads
set stored_at = coalesce(stored_at, :now)
where project_id = :project_id and key = :key;

-- name: by_key :maybe
-- The image at an address, unless its project is gone. Without bytes it is in S3.
select u.content_type, u.bytes
from uploads u
join projects p on p.id = u.project_id
where u.key = :key and u.stored_at is not null and p.deleted_at is null
limit 1;

-- name: of_project :many
-- nullable: before
-- Some of the images of a project, or of those uploaded before a time.
select key, bytes is null as "in_s3!"
from uploads
where project_id = :project_id and (:before::timestamptz is null or created_at < :before)
order by key
limit :limit::int;

-- name: remove :exec
delete from uploads
where project_id = :project_id and key = any(:keys::text[]);

-- name: page :many
-- nullable: before_key, before_at
-- The images of a project, newest first. It has few thousands: `UPLOADS_MB_PER_PROJECT` is their limit.
select key, content_type, size, bytes is null as "in_s3!", created_at
from uploads
where project_id = :project_id
  and stored_at is not null
  and (:before_key::text is null or (created_at, key) < (:before_at::timestamptz, :before_key))
order by created_at desc, key desc
limit :limit::int;

-- name: total :one
-- How many images a project has, and their size in bytes.
select count(*)::int as "images!", coalesce(sum(size), 0)::float8 as "bytes!"
from uploads
where project_id = :project_id and stored_at is not null;

-- name: one :maybe
select key, content_type, size, bytes is null as "in_s3!", created_at
from uploads
where project_id = :project_id and key = :key and stored_at is not null;

-- name: uses :many
-- The templates and campaigns in whose body the key of an image stands, up to `limit` of each.
(
  select 'template' as "noun!", t.id as "id!", t.name as "name!"
  from templates t
  where t.project_id = :project_id and position(:key::text in t.body) > 0
  order by t.id desc
  limit :limit::int
)
union all
(
  select 'campaign', c.id, c.name
  from campaigns c
  where c.project_id = :project_id and position(:key::text in c.body) > 0
  order by c.id desc
  limit :limit::int
);
