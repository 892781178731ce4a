-- name: list :many
-- What is to happen until then, next first: scheduled campaigns, and executions that continue by themselves.
select
  found.type as "type!",
  found.at as "at!",
  found.id as "id!",
  found.campaign_name as "campaign_name?",
  found.workflow_id as "workflow_id?",
  w.name as "workflow_name?",
  step.name as "step_name?",
  step.type as "step_type?",
  found.contact_id as "contact_id?",
  p.email as "contact_email?"
from (
  (
    select
      'campaign.scheduled' as type, c.scheduled_for as at, c.id, c.name as campaign_name, null::uuid as workflow_id,
      null::uuid as version_id, null::uuid as step_id, null::uuid as contact_id
    from campaigns c
    where c.project_id = :project_id
      and c.status = 'SCHEDULED'
      and c.finished_at is null
      and c.scheduled_for <= :until
    order by c.scheduled_for, c.id
    limit :limit::int
  )
  union all
  (
    select
      'workflow.waiting', x.wake_at, x.id, null, x.workflow_id, x.version_id, x.current_step_id, x.contact_id
    from executions x
    where x.project_id = :project_id
      and case x.status when 'WAITING' then x.wake_at end is not null
      and case x.status when 'WAITING' then x.wake_at end <= :until
    order by case x.status when 'WAITING' then x.wake_at end, x.id
    limit :limit::int
  )
  order by at, type, id
  limit :limit::int
) as found
left join lateral (
  select w.name
  from workflows w
  where w.project_id = :project_id and w.id = found.workflow_id
  limit 1
) as w on true
left join lateral (
  select s.name, s.type
  from workflow_versions v
  cross join lateral jsonb_to_recordset(v.graph -> 'steps') as s (id uuid, name text, type text)
  where v.project_id = :project_id and v.id = found.version_id and s.id = found.step_id
  limit 1
) as step on true
left join lateral (
  select p.email
  from contacts p
  where p.project_id = :project_id and p.id = found.contact_id
  limit 1
) as p on true
order by found.at, found.type, found.id;
