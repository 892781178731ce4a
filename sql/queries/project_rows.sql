-- Batches of the removal of a project, each a commit of its own. All of them take the next rows in the order of their
-- ids, after the last one deleted and up to where the removal goes: starting from the first id each time would mean
-- passing all dead rows again. The inner select is an array, so that rows are found by the key whatever the planner
-- estimates.

-- name: jobs :one
-- Waiting jobs of a project, besides those of its removal. Locked jobs end by themselves, because they find nothing to
-- do. `last_id` is how far it got.
with page as materialized (
  select j.id, j.payload ->> 'projectId' as project_id, j.task
  from queued_jobs() as j
  where j.id > :after::text::bigint
  order by j.id
  limit :limit::int
),
gone as (
  select graphile_worker.complete_jobs(array_agg(id))
  from page
  where project_id = (:project_id::uuid)::text and task not in ('delete_project', 'reset_project')
  having count(*) > 0
)
select
  (select count(*) from gone)::int as "removed!",
  (select id from page order by id desc limit 1)::text as "last_id?";

-- name: executions :many
-- Their waits and their history are deleted with them, by the trigger.
delete from executions
where project_id = :project_id
  and id = any (array(
    select id
    from executions
    where project_id = :project_id and id > :after and id <= :up_to
    order by id
    limit :limit::int
  ))
returning id;

-- name: workflows :many
-- Steps, transitions, versions, and executions started by hand since then are deleted with them.
delete from workflows
where project_id = :project_id
  and id = any (array(
    select id
    from workflows
    where project_id = :project_id and id > :after and id <= :up_to
    order by id
    limit :limit::int
  ))
returning id;

-- name: templates :many
-- One that a step of a later workflow sends stays.
delete from templates
where project_id = :project_id
  and id = any (array(
    select t.id
    from templates t
    where t.project_id = :project_id
      and t.id > :after
      and t.id <= :up_to
      and not exists (
        select from workflow_steps s where s.project_id = t.project_id and s.template_id = t.id
      )
    order by t.id
    limit :limit::int
  ))
returning id;

-- name: emails :many
with gone as (
  delete from emails
  where project_id = :project_id
    and id = any (array(
      select id
      from emails
      where project_id = :project_id and id > :after and id <= :up_to
      order by id
      limit :limit::int
    ))
  returning id
),
untagged as (
  delete from email_tags
  where project_id = :project_id and email_id in (select id from gone)
),
unscheduled as (
  delete from scheduled_emails
  where project_id = :project_id and email_id in (select id from gone)
)
select id
from gone;

-- name: late_emails :one
-- nullable: campaigns, executions
-- Later mails that were sent by a deleted campaign or execution. `last_id` is how far it got.
with page as materialized (
  select id, campaign_id, workflow_execution_id
  from emails
  where project_id = :project_id and id > :after
  order by id
  limit :limit::int
),
gone as (
  delete from emails
  where project_id = :project_id
    and id = any (array(
      select id
      from page
      where campaign_id <= :campaigns::uuid or workflow_execution_id <= :executions::uuid
    ))
  returning id
)
select
  (select count(*) from gone)::int as "removed!",
  (select id from page order by id desc limit 1) as "last_id?";

-- name: contents :many
-- Attachments go with them.
delete from contents
where project_id = :project_id
  and id = any (array(
    select id
    from contents
    where project_id = :project_id and id > :after and id <= :up_to
    order by id
    limit :limit::int
  ))
returning id;

-- name: campaigns :many
delete from campaigns
where project_id = :project_id
  and id = any (array(
    select id
    from campaigns
    where project_id = :project_id and id > :after and id <= :up_to
    order by id
    limit :limit::int
  ))
returning id;

-- name: campaign_count_deltas :many
-- Counts of deleted campaigns. `last_id` says only that there may be more.
delete from campaign_count_deltas
where ctid = any (array(
  select ctid
  from campaign_count_deltas
  where project_id = :project_id and campaign_id <= :up_to
  limit :limit::int
))
returning campaign_id;

-- name: campaign_link_deltas :many
-- Clicks of deleted campaigns.
delete from campaign_link_deltas
where ctid = any (array(
  select ctid
  from campaign_link_deltas
  where project_id = :project_id and campaign_id <= :up_to
  limit :limit::int
))
returning campaign_id;

-- name: contact_imports :many
-- Their files go with them.
delete from contact_imports
where project_id = :project_id
  and id = any (array(
    select id
    from contact_imports
    where project_id = :project_id and id > :after and id <= :up_to
    order by id
    limit :limit::int
  ))
returning id;

-- name: bulk_jobs :many
delete from bulk_jobs
where project_id = :project_id
  and id = any (array(
    select id
    from bulk_jobs
    where project_id = :project_id and id > :after and id <= :up_to
    order by id
    limit :limit::int
  ))
returning id;

-- name: events :many
delete from events
where project_id = :project_id
  and id = any (array(
    select id
    from events
    where project_id = :project_id and id > :after and id <= :up_to
    order by id
    limit :limit::int
  ))
returning id;

-- name: late_events :one
-- Of the events that came later, those of mails that went. `last_id` is how far it has looked.
with page as materialized (
  select id, email_id
  from events
  where project_id = :project_id and id > :after
  order by id
  limit :limit::int
),
gone as (
  delete from events
  where project_id = :project_id and id = any (array(select id from page where email_id <= :emails::uuid))
  returning id
)
select
  (select count(*) from gone)::int as "removed!",
  (select id from page order by id desc limit 1) as "last_id?";

-- name: contacts :many
-- The next contacts that go.
select id
from contacts
where project_id = :project_id and id > :after and id <= :up_to
order by id
limit :limit::int;

-- name: segment_candidates :many
-- Candidates whose contacts are being deleted.
delete from segment_candidates
where ctid = any (array(
  select ctid
  from segment_candidates
  where project_id = :project_id and contact_id <= :up_to
  limit :limit::int
))
returning contact_id;

-- name: segment_members :exec
-- Removes outgoing contacts from outgoing segments, so that recounting the other segments has less to do.
delete from segment_members
where project_id = :project_id and contact_id = any(:contact_ids::uuid[]) and segment_id <= :segments;

-- name: segments :many
-- One that a later segment, campaign or workflow refers to stays, without the members that went.
delete from segments
where project_id = :project_id
  and id = any (array(
    select s.id
    from segments s
    where s.project_id = :project_id
      and s.id > :after
      and s.id <= :up_to
      and not exists (
        select
        from segments n
        where n.project_id = s.project_id
          and n.id > :up_to
          and lower(n.condition::text) like '%"segment.' || s.id || '"%'
      )
      and not exists (
        select
        from campaigns k
        where k.project_id = s.project_id
          and (k.segment_id = s.id or lower(k.audience_condition::text) like '%"segment.' || s.id || '"%')
      )
      and not exists (
        select
        from workflow_references r
        where r.project_id = s.project_id and r.kind = 'SEGMENT' and r.name = s.id::text
      )
    order by s.id
    limit :limit::int
  ))
returning id;

-- name: suppressions :many
delete from suppressions
where project_id = :project_id
  and id = any (array(
    select id
    from suppressions
    where project_id = :project_id and id > :after and id <= :up_to
    order by id
    limit :limit::int
  ))
returning id;

-- name: captured_mails :many
-- nullable: before
-- Those captured before that time; without one: all.
delete from captured_mails
where project_id = :project_id
  and id = any (array(
    select id
    from captured_mails
    where project_id = :project_id
      and id > :after
      and id < coalesce(first_id_at(:before), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by id
    limit :limit::int
  ))
returning id;

-- name: webhook_messages :many
-- nullable: before
-- Those about what happened before that time; without one: all.
delete from webhook_messages
where project_id = :project_id
  and id = any (array(
    select id
    from webhook_messages
    where project_id = :project_id
      and id > :after
      and id < coalesce(first_id_at(:before), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by id
    limit :limit::int
  ))
returning id;

-- name: webhook_deliveries :many
-- nullable: before
-- The same of the deliveries, endpoint by endpoint.
delete from webhook_deliveries d
using (
  select webhook_id, message_id
  from webhook_deliveries
  where project_id = :project_id
    and (webhook_id, message_id) > (:after_webhook::uuid, :after::uuid)
    and message_id < coalesce(first_id_at(:before), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  order by webhook_id, message_id
  limit :limit::int
) as page
where d.project_id = :project_id and d.webhook_id = page.webhook_id and d.message_id = page.message_id
returning d.webhook_id, d.message_id;

-- name: webhook_notes :many
-- nullable: before
-- Notes that were made before that time; without one: all.
delete from webhook_notes
where project_id = :project_id
  and id = any (array(
    select id
    from webhook_notes
    where project_id = :project_id
      and created_at < coalesce(:before::timestamptz, 'infinity')
    order by id
    limit :limit::int
  ))
returning id::text as "id!";

-- name: idempotency_keys :many
-- Those that were claimed until the reset was asked for, in the order of the keys.
delete from idempotency_keys
where project_id = :project_id
  and key = any (array(
    select key
    from idempotency_keys
    where project_id = :project_id and key > :after and created_at <= :asked_at
    order by key
    limit :limit::int
  ))
returning key;

-- name: requests :many
-- nullable: asked_at
-- Those that came until the reset was asked for; all of them where the project is deleted.
delete from requests
where project_id = :project_id
  and id = any (array(
    select id
    from requests
    where project_id = :project_id
      and id > :after
      and (:asked_at::timestamptz is null or id < first_id_at(:asked_at::timestamptz + interval '1 millisecond'))
    order by id
    limit :limit::int
  ))
returning id;

-- name: rest :one
-- Some rows of a table whose rows have no order that would help.
select remove_project_rows(:project_id, :table, :limit::int) as "removed!";
