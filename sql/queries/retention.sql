-- Deletes what is older than it has to be kept, in batches, each a commit of its own. Ids are in the order of time: the
-- rows of a project are walked by their key, from the oldest on and past those that are still needed. Each is found by
-- an index (`removals.read_by_index` comes first), whatever the planner estimates.

-- name: drop_requests :one
-- Requests that are old, project by project from one on. `last_id` is the last project that had any.
with old as materialized (
  select r.project_id, r.id
  from projects p
  cross join lateral (
    select r.project_id, r.id
    from requests r
    where r.project_id = p.id and r.id < first_id_at(:before)
    order by r.id
    limit :limit::int
  ) as r
  where p.id >= :after
  order by p.id
  limit :limit
),
gone as (
  delete from requests r
  using old o
  where r.project_id = o.project_id and r.id = o.id
  returning r.project_id
)
select
  (select count(*) from gone)::int as "looked!",
  (select project_id from gone order by project_id desc limit 1) as "last_id?";

-- name: drop_webhook_messages :one
-- The same of the messages for endpoints.
with old as materialized (
  select m.project_id, m.id
  from projects p
  cross join lateral (
    select m.project_id, m.id
    from webhook_messages m
    where m.project_id = p.id and m.id < first_id_at(:before)
    order by m.id
    limit :limit::int
  ) as m
  where p.id >= :after
  order by p.id
  limit :limit
),
gone as (
  delete from webhook_messages m
  using old o
  where m.project_id = o.project_id and m.id = o.id
  returning m.project_id
)
select
  (select count(*) from gone)::int as "looked!",
  (select project_id from gone order by project_id desc limit 1) as "last_id?";

-- name: drop_webhook_deliveries :one
-- The same of their deliveries, endpoint by endpoint.
with old as materialized (
  select d.project_id, d.webhook_id, d.message_id
  from webhooks w
  cross join lateral (
    select d.project_id, d.webhook_id, d.message_id
    from webhook_deliveries d
    where d.project_id = w.project_id and d.webhook_id = w.id and d.message_id < first_id_at(:before)
    order by d.message_id
    limit :limit::int
  ) as d
  where w.project_id >= :after
  order by w.project_id, w.id
  limit :limit
),
gone as (
  delete from webhook_deliveries d
  using old o
  where d.project_id = o.project_id and d.webhook_id = o.webhook_id and d.message_id = o.message_id
  returning d.project_id
)
select
  (select count(*) from gone)::int as "looked!",
  (select project_id from gone order by project_id desc limit 1) as "last_id?";

-- name: awaited_since :one
-- Since when a job waits that has yet to read events: what happened from then on is needed. Null when there is none.
select min(j.created_at) as "since?"
from graphile_worker.jobs j
where j.task_identifier in ('start_workflows', 'recheck_waits')
  and (j.attempts < j.max_attempts or j.locked_at is not null);

-- name: drop_events :exec
-- Deletes some of the events that are older than any partition. Directly from theirs: the counters do not follow, because
-- it did happen.
delete from events_default
where ctid = any (array(
  select ctid
  from events_default
  where id < first_id_at(:before)
  limit :limit::int
));

-- name: projects_with_emails :many
-- Projects that have mails of before that time.
select p.id
from projects p
cross join lateral (
  select
  from emails e
  where e.project_id = p.id and e.id < first_id_at(:before)
  order by e.id
  limit 1
) as oldest
order by p.id;

-- name: drop_emails :one
-- Looks at the next mails of a project and deletes those that had a final state before that time. An open mail stays,
-- and so does one of an active campaign or execution, which still has to note its outcome. These are looked up one by one (`exists` could become a hash of all executions).
-- `last_id` is how far it got.
with page as materialized (
  select
    e.id,
    e.status not in ('PENDING', 'SENDING', 'CAPTURED')
      and (e.status <> 'IN_DOUBT' or e.due_at = 'infinity')
      and coalesce(e.sent_at, e.doubted_at, e.queued_at) < :before
      and (
        select true
        from campaigns k
        where k.project_id = e.project_id and k.id = e.campaign_id and k.finished_at is null
      ) is null
      and (
        select true
        from executions x
        where x.project_id = e.project_id and x.id = e.workflow_execution_id and x.completed_at is null
      ) is null as is_over
  from emails e
  where e.project_id = :project_id and e.id > :after and e.id < first_id_at(:before)
  order by e.id
  limit :limit::int
),
gone as (
  delete from emails
  where project_id = :project_id and id = any (array(select id from page where is_over))
  returning id
),
untagged as (
  delete from email_tags
  where project_id = :project_id and email_id = any (array(select id from page where is_over))
)
select
  (select count(*) from gone)::int as "gone!",
  (select count(*) from page)::int as "looked!",
  (select id from page order by id desc limit 1) as "last_id?";

-- name: empty_contents :one
-- Looks at the next messages created before that time, and removes bodies and attachments from those that no mail needs
-- any more: mails that are open, of an active campaign, or still to be created by a step of a workflow. A step that was
-- active when its template changed has ended before `changed_before`. Direct mails are created in one commit with their
-- message, at most 1,000: these are looked at, because a million others may wait for their times. Only a message of a
-- workflow has more, and is looked for among all mails that wait.
with page as materialized (
  select c.project_id, c.id, c.template_id
  from contents c
  where c.emptied_at is null and c.id > :after and c.id < first_id_at(:before)
  order by c.id
  limit :limit::int
),
waiting as materialized (
  select m.project_id, m.content_id
  from emails m
  where m.status = 'PENDING' and m.campaign_id is null and m.content_id is not null
),
in_flight as materialized (
  select m.project_id, m.content_id
  from emails m
  where m.status = 'SENDING'
  union
  select m.project_id, m.content_id
  from emails m
  where m.status = 'IN_DOUBT' and m.due_at < 'infinity'
),
idle as materialized (
  select p.project_id, p.id
  from page p
  where not exists (
      select from in_flight m where m.project_id = p.project_id and m.content_id = p.id
    )
    and not exists (
      select
      from campaigns k
      where k.project_id = p.project_id
        and k.content_id = p.id
        and (
          k.finished_at is null
          or exists (select from emails m where m.campaign_id = k.id and m.status = 'PENDING')
        )
    )
    and not exists (
      select
      from workflow_contents w
      join contents o on o.project_id = w.project_id and o.id = w.content_id
      where w.project_id = p.project_id
        and w.template_id = p.template_id
        and (w.content_id = p.id or o.id >= first_id_at(:changed_before))
    )
),
unneeded as materialized (
  select i.project_id, i.id
  from idle i
  cross join lateral (
    select count(*) as mails, coalesce(bool_or(newest.status = 'PENDING'), false) as is_open
    from (
      select m.status
      from emails m
      where m.project_id = i.project_id and m.content_id = i.id and m.campaign_id is null
      order by m.id desc
      limit 1001
    ) as newest
  ) as own
  where not own.is_open
    and (own.mails <= 1000 or (i.project_id, i.id) not in (select project_id, content_id from waiting))
),
detached as (
  delete from attachments
  where (project_id, content_id) in (select project_id, id from unneeded)
),
emptied as (
  update contents
  set html = null, text = null, data = null, headers = null, emptied_at = :now
  where (project_id, id) in (select project_id, id from unneeded) and emptied_at is null
  returning id
)
select
  (select count(*) from emptied)::int as "gone!",
  (select count(*) from page)::int as "looked!",
  (select id from page order by id desc limit 1) as "last_id?";

-- name: projects_with_captured :many
-- Projects that have captured mails.
select p.id
from projects p
cross join lateral (
  select
  from emails e
  where e.project_id = p.id and e.status = 'CAPTURED'
  order by e.id
  limit 1
) as oldest
order by p.id;

-- name: close_captured :one
-- Looks at the next captured mails of a project, and closes those that were captured before that time, or whose message
-- was emptied: they can no longer be sent. `drop_emails` leaves them until then, so that the counters of a campaign
-- follow.
with page as materialized (
  select e.id, e.captured_at < :before or c.emptied_at is not null as is_over
  from emails e
  left join contents c on c.project_id = e.project_id and c.id = e.content_id
  where e.project_id = :project_id and e.status = 'CAPTURED' and e.id > :after
  order by e.id
  limit :limit::int
),
gone as (
  update emails
  set status = 'SUPPRESSED', error = 'The content of this mail has expired', data = null, captured_at = null
  where project_id = :project_id and id = any (array(select id from page where is_over)) and status = 'CAPTURED'
  returning id
)
select
  (select count(*) from gone)::int as "gone!",
  (select count(*) from page)::int as "looked!",
  (select id from page order by id desc limit 1) as "last_id?";

-- name: projects_with_contents :many
-- Projects that have messages of before that time.
select p.id
from projects p
cross join lateral (
  select
  from contents c
  where c.project_id = p.id and c.id < first_id_at(:before)
  order by c.id
  limit 1
) as oldest
order by p.id;

-- name: drop_contents :one
-- Looks at the messages of a project created before `made_before`, and deletes those that were emptied before
-- `emptied_before`: no mail has used them since, so all of their mails are gone.
with page as materialized (
  select c.id, c.emptied_at < :emptied_before as is_over
  from contents c
  where c.project_id = :project_id and c.id > :after and c.id < first_id_at(:made_before)
  order by c.id
  limit :limit::int
),
gone as (
  delete from contents
  where project_id = :project_id and id = any (array(select id from page where is_over))
  returning id
)
select
  (select count(*) from gone)::int as "gone!",
  (select count(*) from page)::int as "looked!",
  (select id from page order by id desc limit 1) as "last_id?";

-- name: projects_with_history :many
-- Projects that have told of steps before that time.
select p.id
from projects p
cross join lateral (
  select
  from step_executions s
  where s.project_id = p.id and s.id < first_id_at(:before)
  order by s.id
  limit 1
) as oldest
order by p.id;

-- name: drop_history :one
-- Looks at the next history entries, and deletes those of executions that ended before that time. The executions stay:
-- contacts who have been through a workflow must not enter it again.
with page as materialized (
  select
    s.id,
    not exists (
      select
      from executions x
      where x.project_id = s.project_id
        and x.id = s.execution_id
        and (x.completed_at is null or x.completed_at >= :before)
    ) as is_over
  from step_executions s
  where s.project_id = :project_id and s.id > :after and s.id < first_id_at(:before)
  order by s.id
  limit :limit::int
),
gone as (
  delete from step_executions
  where project_id = :project_id and id = any (array(select id from page where is_over))
  returning id
)
select
  (select count(*) from gone)::int as "gone!",
  (select count(*) from page)::int as "looked!",
  (select id from page order by id desc limit 1) as "last_id?";

-- name: drop_imports :exec
-- Deletes reports of imports that were done before that time.
delete from contact_imports
where (project_id, id) in (
  select project_id, id
  from contact_imports
  where finished_at < :before
  order by finished_at
  limit :limit::int
);

-- name: drop_moves :exec
-- Deletes reports of what came from other services, once they are that old.
delete from moves
where (project_id, id) in (
  select project_id, id
  from moves
  where finished_at < :before
  order by finished_at
  limit :limit::int
);

-- name: drop_bulk_jobs :exec
delete from bulk_jobs
where (project_id, id) in (
  select project_id, id
  from bulk_jobs
  where finished_at < :before
  order by finished_at
  limit :limit::int
);

-- name: drop_jobs :one
-- Strikes jobs off the queue that were given up before that time, after all of their attempts.
with old as materialized (
  select j.id
  from graphile_worker.jobs j
  where j.attempts >= j.max_attempts and j.locked_at is null and j.updated_at < :before
  limit :limit::int
),
gone as (
  select graphile_worker.complete_jobs(array(select id from old))
)
select (select count(*) from gone)::int as "gone!";
