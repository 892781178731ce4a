-- name: insert :exec
-- nullable: contact_ids, filter, segment_id
insert into bulk_jobs (project_id, id, operation, contact_ids, filter, exclude_ids, segment_id)
values (:project_id, :job_id, :operation, :contact_ids::uuid[], :filter, :exclude_ids::uuid[], :segment_id);

-- name: by_id :maybe
-- The report, without the ids.
select
  id, operation, state, contact_count, success_count, unchanged_count, failure_count, errors, failed_reason,
  created_at, finished_at
from bulk_jobs
where project_id = :project_id and id = :job_id;

-- name: begin :maybe
-- Marks a job as in progress, also one that a crash has left so. Null when it is done.
update bulk_jobs
set state = 'active'
where project_id = :project_id and id = :job_id and state in ('waiting', 'active')
returning contact_ids, filter, exclude_ids, contact_count;

-- name: counted :exec
update bulk_jobs
set contact_count = :contact_count
where project_id = :project_id and id = :job_id and state = 'active';

-- name: hold :maybe
-- Locks a job and tells how far it has come. Null when it is done.
select operation, contact_ids, filter, exclude_ids, segment_id, after_id, failure_count
from bulk_jobs
where project_id = :project_id and id = :job_id and state = 'active'
for update;

-- name: count_matching :one
-- splice: filter = true
-- The contacts that were there when the job was made, and that its filter lets through.
select count(*)::int as "total!"
from contacts c
where c.project_id = :project_id
  and c.created_at <= (select created_at from bulk_jobs where project_id = :project_id and id = :job_id)
  and c.id <> all(:exclude_ids::uuid[])
  and :filter;

-- name: matching :many
-- splice: filter = true
-- nullable: after_id
-- The next of them, in the order of their ids. Those that come while the job runs are not among them: it ends.
select c.id
from contacts c
where c.project_id = :project_id
  and (:after_id::uuid is null or c.id > :after_id)
  and c.created_at <= (select created_at from bulk_jobs where project_id = :project_id and id = :job_id)
  and c.id <> all(:exclude_ids::uuid[])
  and :filter
order by c.id
limit :limit::int;

-- name: existing :many
select id
from contacts
where project_id = :project_id and id = any(:contact_ids::uuid[]);

-- name: set_subscribed :many
-- Subscribes or unsubscribes contacts. Returns those that exist, and which of them it changed: each change is reported
-- once, even when two jobs overlap. Rows are locked in the order of `contacts.upsert_many`.
with chosen as (
  select id
  from contacts
  where project_id = :project_id and id = any(:contact_ids::uuid[])
  order by email
  for no key update
),
changed as (
  update contacts c
  set
    was_subscribed = c.subscribed,
    subscribed     = :subscribed,
    opted_out_at   = case when :subscribed then null else now() end,
    updated_at     = now()
  from chosen
  where c.project_id = :project_id and c.id = chosen.id and c.subscribed <> :subscribed
  returning c.id
)
select chosen.id as "id!", changed.id is not null as "is_changed!"
from chosen
left join changed on changed.id = chosen.id;

-- name: advance :exec
-- Adds what happened to the contacts up to `after_id`, which the holder of the lock has worked on.
update bulk_jobs
set
  after_id        = :after_id,
  success_count   = success_count + :changed,
  unchanged_count = unchanged_count + :unchanged,
  failure_count   = failure_count + :failed,
  errors          = errors || :errors::jsonb
where project_id = :project_id and id = :job_id;

-- name: complete :exec
update bulk_jobs
set state = 'completed', finished_at = now()
where project_id = :project_id and id = :job_id and state = 'active';

-- name: fail :exec
-- A job that cannot be done. It stays so.
update bulk_jobs
set state = 'failed', failed_reason = :reason, finished_at = now()
where project_id = :project_id and id = :job_id and state in ('waiting', 'active');
