-- name: verified :many
-- Those of these domains that the project may send from. Inside of a transaction they cannot be removed before the end of it.
select domain
from domains
where project_id = :project_id and domain = any(:domains::text[]) and status = 'VERIFIED'
order by domain
for key share;

-- name: add_verified :one
-- For the operator and the first start: a domain that is trusted without a look at the DNS. What a check that is under
-- way finds is not written any more.
insert into domains (project_id, domain, status, trusted)
values (:project_id, :domain, 'VERIFIED', true)
on conflict (project_id, domain) do update
set status = 'VERIFIED', trusted = true, check_started_at = null, updated_at = now()
returning id, domain;

-- name: insert :maybe
-- Null when the project has the domain already.
insert into domains (
  project_id, id, domain, dkim_selector, dkim_public_key, dkim_private_key, next_check_at
)
values (:project_id, :id, :domain, :dkim_selector, :dkim_public_key, :dkim_private_key, :now)
on conflict (project_id, domain) do nothing
returning
  id, domain, status, return_path, dkim_selector, dkim_public_key, record_states, record_findings, last_checked_at, project_id,
  created_at, updated_at;

-- name: standing :one
-- Whether the project has this domain, and how many it has in all.
select
  count(*)::int as "total!",
  coalesce(bool_or(domain = :domain), false) as "is_known!"
from domains
where project_id = :project_id;

-- name: get :maybe
select
  id, domain, status, return_path, dkim_selector, dkim_public_key, record_states, record_findings, last_checked_at, project_id,
  created_at, updated_at
from domains
where project_id = :project_id and id = :domain_id;

-- name: list :many
select
  id, domain, status, return_path, dkim_selector, dkim_public_key, record_states, record_findings, last_checked_at, project_id,
  created_at, updated_at
from domains
where project_id = :project_id
order by domain;

-- name: set_key :exec
-- Gives a domain its key, and has it checked soon. 0 when it has one.
update domains
set
  dkim_selector    = :dkim_selector,
  dkim_public_key  = :dkim_public_key,
  dkim_private_key = :dkim_private_key,
  next_check_at    = :now,
  updated_at       = now()
where project_id = :project_id and id = :domain_id and dkim_selector is null;

-- name: sealed_key :maybe
-- The key of a domain by its name, if it has one.
select id, dkim_selector, dkim_private_key
from domains
where project_id = :project_id and domain = :domain;

-- name: replace_key :exec
-- Gives a domain another key in place of the one with this selector. The DNS holds the old one: nothing is proved any
-- more, and what a check that is in progress finds is not written. 0 when it has another key by now.
update domains
set
  dkim_selector    = :dkim_selector,
  dkim_public_key  = :dkim_public_key,
  dkim_private_key = :dkim_private_key,
  status           = case when trusted then status else 'PENDING' end,
  record_states    = record_states - 'DKIM TXT',
  record_findings  = record_findings - 'DKIM TXT',
  verified_at      = null,
  failures         = 0,
  failing_since    = null,
  check_started_at = null,
  next_check_at    = :now,
  updated_at       = now()
where project_id = :project_id and id = :domain_id and dkim_selector = :replaced;

-- name: signing_key :maybe
-- The sealed key of a domain that may be sent from, once the DNS has been seen to hold its public half.
select id, domain, dkim_selector as "dkim_selector!", dkim_private_key as "dkim_private_key!"
from domains
where project_id = :project_id
  and domain = :domain
  and status = 'VERIFIED'
  and verified_at is not null
  and dkim_selector is not null;

-- name: return_path :maybe
-- Where the bounces of a domain's mails may come back to: the DNS has been seen to lead from there to us.
select return_path
from domains
where project_id = :project_id and domain = :domain and record_states ->> 'RETURN_PATH MX' = 'VERIFIED';

-- name: returned_to :many
-- The projects whose bounces come back to a domain, whatever its records say now: the mails were sent before.
select project_id
from domains
where return_path = :return_path
limit :limit::int;

-- name: claim_due :many
-- Takes the domains that are due, the longest overdue first; nobody else takes them before `held_until`. Two processes
-- take different ones. The number is a literal, so that the planner knows that they are few; with a parameter it reads
-- the whole table.
with due as (
  select project_id, id
  from domains
  where next_check_at <= :now
  order by next_check_at
  limit 100
  for update skip locked
)
update domains d
set check_started_at = :now, next_check_at = :held_until
from due
where d.project_id = due.project_id and d.id = due.id
returning
  d.project_id, d.id, d.domain, d.status, d.trusted, d.return_path, d.dkim_selector, d.dkim_public_key,
  d.record_states, d.record_findings, d.verified_at, d.failures, d.failing_since;

-- name: claim :maybe
-- Takes one domain, unless a look-up of it began after `not_since`.
update domains
set check_started_at = :now, next_check_at = :held_until
where project_id = :project_id
  and id = :domain_id
  and (check_started_at is null or check_started_at <= :not_since)
returning
  project_id, id, domain, status, trusted, return_path, dkim_selector, dkim_public_key, record_states,
  record_findings, verified_at, failures, failing_since;

-- name: record_checks :many
-- nullable: checks.verified_at, checks.failing_since
-- Writes the results of a batch of look-ups, for those domains that are still held since `started_at`; the others were
-- deleted or taken over in the meantime. Rows are locked in one order, so that two batches cannot deadlock.
with found as (
  select *
  from json_to_recordset(:checks::json) as r (
    project_id uuid, id uuid, status domain_status, verified_at timestamptz, failures int, failing_since timestamptz,
    next_check_at timestamptz, record_states jsonb, record_findings jsonb
  )
),
held as (
  select d.project_id, d.id, d.status
  from domains d
  join found f on f.project_id = d.project_id and f.id = d.id
  where d.check_started_at = :started_at
  order by d.project_id, d.id
  for no key update of d
)
update domains d
set
  status          = f.status,
  verified_at     = f.verified_at,
  failures        = f.failures,
  failing_since   = f.failing_since,
  next_check_at   = f.next_check_at,
  record_states   = f.record_states,
  record_findings = f.record_findings,
  last_checked_at = :now,
  updated_at      = case
    when (d.status, d.record_states) is distinct from (f.status, f.record_states) then now()
    else d.updated_at
  end
from found f
join held h on h.project_id = f.project_id and h.id = f.id
where d.project_id = f.project_id and d.id = f.id
returning d.project_id, d.id, d.domain, d.dkim_selector, h.status as was, d.status, h.status <> d.status as "changed!";

-- name: lock :maybe
-- The domain, held until the end of the transaction.
select domain
from domains
where project_id = :project_id and id = :domain_id
for update;

-- name: remove :exec
delete from domains
where project_id = :project_id and id = :domain_id;

-- name: templates_from :many
-- The templates that send from a domain, newest first. A project has hundreds of templates, and not millions.
select id, name
from templates
where project_id = :project_id and lower(substring(from_email from '[^@]*$')) = :domain
order by id desc
limit :limit::int;

-- name: campaigns_from :many
-- The campaigns that have not been sent yet and will be from a domain, newest first.
select id, name, status
from campaigns
where project_id = :project_id
  and status in ('DRAFT', 'SCHEDULED', 'SENDING')
  and lower(substring(from_email from '[^@]*$')) = :domain
order by id desc
limit :limit::int;

-- name: of_sender :maybe
-- The domain of a sender, with what is known of its records; `trusted`: the operator vouches for it.
select domain, status, trusted, return_path, dkim_selector, dkim_public_key, record_states, record_findings, last_checked_at
from domains
where project_id = :project_id and domain = :domain;
