-- name: take_in :one
-- nullable: rows.created_at
-- Contacts of another service, each address once. One that is here keeps its own data, and gets what it lacks. Who has
-- unsubscribed there or here is unsubscribed; nobody is subscribed again. No event is recorded. Locked in the order of
-- `contacts.upsert_many`.
with given as (
  select r.email, r.subscribed, r.data, r.created_at
  from json_to_recordset(:rows::json) as r (email text, subscribed boolean, data jsonb, created_at timestamptz)
),
written as (
  insert into contacts as c (project_id, email, subscribed, opted_out_at, data, created_at, updated_at)
  select
    :project_id, email, subscribed, case when not subscribed then :now::timestamptz end, data,
    coalesce(least(created_at, :now), :now), :now
  from given
  order by email
  on conflict (project_id, email) do update
  set
    was_subscribed = c.subscribed,
    subscribed     = c.subscribed and excluded.subscribed,
    opted_out_at   = case when excluded.subscribed then c.opted_out_at else coalesce(c.opted_out_at, :now) end,
    data           = excluded.data || c.data,
    updated_at     = :now
  where c.data is distinct from excluded.data || c.data
    or (not excluded.subscribed and (c.subscribed or c.opted_out_at is null))
  returning c.was_subscribed is null as is_new
)
select count(*) filter (where is_new)::int as "created!", count(*) filter (where not is_new)::int as "changed!"
from written;

-- name: segment :maybe
-- A segment of this kind with this name.
select id
from segments
where project_id = :project_id and name = :name and type = :type
limit 1;

-- name: template :maybe
-- A template with this name and these words.
select id
from templates
where project_id = :project_id and name = :name and subject = :subject and body = :body
limit 1;

-- name: campaign :maybe
-- A campaign with this name and these words.
select id
from campaigns
where project_id = :project_id and name = :name and subject = :subject and body = :body
limit 1;

-- name: workflow :maybe
-- A workflow with this name that starts at this event.
select id
from workflows
where project_id = :project_id and name = :name and event_name = :event_name
limit 1;
