-- name: suppression :maybe
-- Why the address of a contact gets no mail.
select s.reason, s.created_at
from contacts c
join suppressions s on s.project_id = c.project_id and s.email = c.email
where c.project_id = :project_id and c.id = :contact_id;

-- name: events :many
-- nullable: after_name, after_id
-- Events of a contact by name, each name from the oldest to the newest: the order of `events_by_contact`.
select id, name, data, email_id, bot, created_at
from events
where project_id = :project_id
  and contact_id = :contact_id
  and (:after_name::text is null or (name, id) > (:after_name, :after_id::uuid))
order by name, id
limit :limit::int;

-- name: emails :many
-- nullable: after_id
-- Mails to a contact, the oldest first.
select
  e.id, e.address as "to", e.to_name, coalesce(e.subject, c.subject) as "subject?", c.from_email as "from?",
  e.source_type, e.campaign_id, e.template_id, e.workflow_id, e.workflow_execution_id, e.status, e.error, e.queued_at,
  e.sent_at, e.delivered_at, e.opened_at, e.clicked_at, e.bounced_at, e.complained_at, e.unsubscribed_at, e.opens, e.clicks
from emails e
left join contents c on c.project_id = e.project_id and c.id = e.content_id
where e.project_id = :project_id
  and e.contact_id = :contact_id
  and (:after_id::uuid is null or e.id > :after_id)
order by e.id
limit :limit::int;

-- name: executions :many
-- nullable: after_id
-- Executions of workflows for a contact, in the order of their ids, with the history of each.
select
  e.id, e.workflow_id, w.name as workflow_name, e.status, e.exit_reason, e.context, e.started_at, e.completed_at,
  coalesce((
    select json_agg(json_build_object(
      'stepId', s.step_id, 'status', s.status, 'output', s.output, 'error', s.error,
      'startedAt', s.started_at, 'completedAt', s.completed_at
    ) order by s.seq)
    from step_executions s
    where s.project_id = e.project_id and s.execution_id = e.id
  ), '[]') as "steps!"
from executions e
join workflows w on w.project_id = e.project_id and w.id = e.workflow_id
where e.project_id = :project_id
  and e.contact_id = :contact_id
  and (:after_id::uuid is null or e.id > :after_id)
order by e.id
limit :limit::int;
