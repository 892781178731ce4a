-- name: events :many
-- What the feed shows of events, which lie between the first and the last of these ids. Everything is looked up one by
-- one, whatever the planner estimates. Expired events are not found.
select
  e.id, e.name, e.data, e.bot, e.email_id, e.contact_id,
  p.email as "contact_email?",
  m.source_type as "source_type?",
  m.error as "error?",
  coalesce(m.subject, o.subject) as "subject?",
  o.from_email as "from_email?",
  c.name as "campaign_name?",
  w.name as "workflow_name?"
from unnest(:ids::uuid[]) as u (id)
cross join lateral (
  select e.id, e.name, e.data, e.bot, e.email_id, e.contact_id
  from events e
  where e.project_id = :project_id and e.id = u.id and e.id >= :first_id and e.id <= :last_id
  limit 1
) as e
left join lateral (
  select p.email
  from contacts p
  where p.project_id = :project_id and p.id = e.contact_id
  limit 1
) as p on true
left join lateral (
  select m.source_type, m.subject, m.error, m.content_id, m.campaign_id, m.workflow_execution_id
  from emails m
  where m.project_id = :project_id and m.id = e.email_id
  limit 1
) as m on true
left join lateral (
  select o.subject, o.from_email
  from contents o
  where o.project_id = :project_id and o.id = m.content_id
  limit 1
) as o on true
left join lateral (
  select c.name
  from campaigns c
  where c.project_id = :project_id and c.id = m.campaign_id
  limit 1
) as c on true
left join lateral (
  select (
    select w.name
    from workflows w
    where w.project_id = x.project_id and w.id = x.workflow_id
  ) as name
  from executions x
  where x.project_id = :project_id and x.id = m.workflow_execution_id
  limit 1
) as w on true;

-- name: campaigns :many
select id, name
from campaigns
where project_id = :project_id and id = any(:ids::uuid[]);

-- name: executions :many
select x.id, x.status, x.exit_reason, x.workflow_id, w.name as "workflow_name!", x.contact_id, p.email as "contact_email?"
from unnest(:ids::uuid[]) as u (id)
cross join lateral (
  select x.id, x.status, x.exit_reason, x.workflow_id, x.contact_id
  from executions x
  where x.project_id = :project_id and x.id = u.id
  limit 1
) as x
cross join lateral (
  select w.name
  from workflows w
  where w.project_id = :project_id and w.id = x.workflow_id
  limit 1
) as w
left join lateral (
  select p.email
  from contacts p
  where p.project_id = :project_id and p.id = x.contact_id
  limit 1
) as p on true;
