-- Captured mails on their way to those whom they were meant for, in the order in which they were captured, page by page.

-- name: next :many
-- The next captured mails after a place. There is always a place, and no other table, so that the index is entered
-- there whatever plan is cached.
select e.project_id, e.id, e.campaign_id, e.captured_at as "captured_at!"
from emails e
where e.captured_at <= :until
  and (e.captured_at, e.project_id, e.id) > (:after_at, :after_project_id, :after_id)
order by e.captured_at, e.project_id, e.id
limit :limit::int;

-- name: next_of_project :many
-- The same of one project, however much others have captured.
select e.project_id, e.id, e.campaign_id, e.captured_at as "captured_at!"
from emails e
where e.project_id = :project_id
  and e.captured_at <= :until
  and (e.captured_at, e.id) > (:after_at, :after_id)
order by e.captured_at, e.id
limit :limit::int;

-- name: of_ids :many
-- nullable: project_id
-- The captured ones of some mails.
select e.project_id, e.id, e.campaign_id, e.captured_at as "captured_at!"
from projects p
join emails e on e.project_id = p.id and e.id = any(:ids::uuid[]) and e.captured_at between :since and :until
where :project_id::uuid is null or p.id = :project_id
order by e.captured_at, e.project_id, e.id;

-- name: hold :many
-- Those of these mails that are still captured and that nobody else has locked, locked until the commit.
select project_id, id
from emails
where (project_id, id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[])) and captured_at is not null
order by project_id, id
for no key update skip locked;

-- name: look :many
-- What decides whether these mails may still be sent, in the order in which they were captured.
select
  e.project_id, e.id, e.contact_id, e.address, e.source_type, e.campaign_id,
  p.disabled_at is not null as "is_disabled!",
  exists (select from reset_of(e)) as "is_being_reset!",
  c.subscribed as "subscribed?",
  c.opted_out_at as "opted_out_at?",
  s.reason as "suppressed?",
  o.type as "type?",
  o.from_email as "from_email?",
  exists (
    select
    from domains d
    where d.project_id = e.project_id
      and d.domain = lower(substring(o.from_email from '[^@]*$'))
      and d.status = 'VERIFIED'
  ) as "is_sender_verified!",
  e.campaign_id is not null and (k.id is null or k.status = 'CANCELLED') as "is_cancelled!"
from unnest(:project_ids::uuid[], :ids::uuid[]) as page (project_id, id)
join emails e on e.project_id = page.project_id and e.id = page.id and e.captured_at is not null
join projects p on p.id = e.project_id
left join contacts c on c.project_id = e.project_id and c.id = e.contact_id
left join suppressions s on s.project_id = e.project_id and s.email = e.address
left join contents o on o.project_id = e.project_id and o.id = e.content_id and o.emptied_at is null
left join campaigns k on k.project_id = e.project_id and k.id = e.campaign_id
order by e.captured_at, e.project_id, e.id;

-- name: release :exec
-- These are to be sent, as if they had never been tried. The caller holds them.
update emails
set status = 'PENDING', captured_at = null, released_at = :now, due_at = :now, attempts = 0, tried_at = null
where (project_id, id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[])) and status = 'CAPTURED';

-- name: close :exec
-- These must not be sent any more: `closed` holds `{project_id, id, reason}`. The caller holds them.
update emails e
set status = 'SUPPRESSED', captured_at = null, data = null, error = c.reason
from json_to_recordset(:closed::json) as c (project_id uuid, id uuid, reason text)
where e.project_id = c.project_id and e.id = c.id and e.status = 'CAPTURED';

-- name: reopen_campaigns :exec
-- Campaigns that had come to their end have mails to send again, and come to it once more. The caller holds them.
update campaigns
set status = 'SENDING', finished_at = null, updated_at = :now
where (project_id, id) in (select * from unnest(:project_ids::uuid[], :ids::uuid[])) and status = 'SENT';
