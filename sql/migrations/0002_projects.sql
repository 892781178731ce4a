create type project_tracking as enum ('ENABLED', 'DISABLED', 'MARKETING_ONLY');

create table projects (
  id              uuid primary key default uuid_v7(),
  name            text not null check (length(name) between 1 and 100),
  public_key      text not null unique check (public_key ~ '^pk_[0-9a-f]{48}$'),
  secret_hash     bytea not null unique check (length(secret_hash) = 32),
  secret_hint     text not null check (length(secret_hint) = 4),
  resend_in_doubt text[] not null default '{TRANSACTIONAL}'
                  check (resend_in_doubt <@ '{TRANSACTIONAL,WORKFLOW,CAMPAIGN}'),
  tracking        project_tracking not null default 'ENABLED',
  language        text not null default 'en',
  timezone        text not null default 'UTC' check (length(timezone) between 1 and 64),
  send_rate       numeric check (send_rate > 0),
  webhook_secret  bytea,
  disabled_at     timestamptz,
  disabled_reason text,
  deleted_at      timestamptz check (deleted_at is null or disabled_at is not null),
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now()
);

comment on table projects is
'A project owns every other row. Its two keys are the credentials of the API; the secret one is stored as a hash.';
comment on column projects.resend_in_doubt is
'Whether a mail in doubt is sent again, by kind of mail (src/http/pages/guides/reliability.md).';
comment on column projects.tracking is
'Whether opens and clicks are tracked. MARKETING_ONLY: not in TRANSACTIONAL mail.';
comment on column projects.language is
'The language of the footer and the hosted pages, for contacts without a language of their own.';
comment on column projects.timezone is 'IANA name of the time zone that defines its days in charts and lists.';
comment on column projects.send_rate is
'Mails per second, across all processes. Null: as many as the installation may send.';
comment on column projects.webhook_secret is 'Signs the webhooks of its workflows; encrypted. Created on first use.';
comment on column projects.deleted_at is
'Since when it has been in removal: from then on it counts as deleted. It is disabled as well, so that nothing of it
is sent.';

create index projects_limited on projects (id) where send_rate is not null;
comment on index projects_limited is 'Serves `send_rates.limited`: hardly any project has a rate of its own.';

create index projects_deleted on projects (id) where deleted_at is not null;
comment on index projects_deleted is 'Serves `removals.without_job`: hardly any project is being removed.';

create function refuse_return() returns trigger
language plpgsql as $$
begin
  raise exception 'a deleted project does not come back' using errcode = 'insufficient_privilege';
end $$;
comment on function refuse_return is
'Refuses to bring a deleted project back. Otherwise lines of its audit log could be removed while it counts as
deleted.';

create trigger projects_stay_deleted
before update of deleted_at on projects
for each row
when (old.deleted_at is not null and new.deleted_at is distinct from old.deleted_at)
execute function refuse_return();
comment on trigger projects_stay_deleted on projects is 'A deleted project does not come back.';

create unlogged table rate_limits (
  project_id uuid primary key references projects on delete cascade,
  minute     int not null,
  used       int not null
);

comment on table rate_limits is
'Requests used in the current minute. Losing it in a crash costs nothing, so it is unlogged.';

create table idempotency_keys (
  project_id  uuid not null references projects on delete cascade,
  key         text not null check (length(key) between 1 and 255),
  request     text not null,
  status_code int,
  response    json,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  primary key (project_id, key)
);

comment on table idempotency_keys is 'Idempotency keys that were used, each with the response to its request.';

create index idempotency_keys_expired on idempotency_keys (expires_at);
comment on index idempotency_keys_expired is 'Serves `idempotency_keys.purge`.';

create type audit_actor as enum ('USER', 'KEY', 'OPERATOR', 'SERVICE');

create table audit (
  project_id    uuid not null references projects on delete cascade,
  id            uuid not null default uuid_v7(),
  at            timestamptz not null,
  actor_kind    audit_actor not null,
  actor_user_id uuid,
  actor_name    text,
  action        text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  subject       text,
  details       jsonb not null default '{}' check (jsonb_typeof(details) = 'object'),
  primary key (project_id, id)
);

comment on table audit is 'Who did what to a project. Append-only; removed only with the project.';
comment on column audit.actor_user_id is
'Kept when the user is deleted, like `actor_name`: the address of a user, or the last characters of a key.';
comment on column audit.subject is
'What it was done to, in text that outlives it: an address, a domain, the name of a campaign.';

create function refuse_audit_change() returns trigger
language plpgsql as $$
begin
  raise exception 'the audit log is only appended to' using errcode = 'insufficient_privilege';
end $$;
comment on function refuse_audit_change is 'Refuses to change or truncate the audit log.';

create trigger audit_unchanged
before update or truncate on audit
for each statement execute function refuse_audit_change();
comment on trigger audit_unchanged on audit is 'Lines are never changed.';

create function refuse_audit_removal() returns trigger
language plpgsql as $$
begin
  if exists (select from gone g join projects p on p.id = g.project_id where p.deleted_at is null) then
    raise exception 'the audit log is only appended to' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
comment on function refuse_audit_removal is
'Refuses to delete lines of the audit log, unless their project is deleted or being removed.';

create trigger audit_kept
after delete on audit
referencing old table as gone
for each statement execute function refuse_audit_removal();
comment on trigger audit_kept on audit is 'Lines are deleted only with their project.';

create table resets (
  project_id      uuid primary key references projects on delete cascade,
  asked_at        timestamptz not null,
  contacts        uuid,
  events          uuid,
  templates       uuid,
  contents        uuid,
  emails          uuid,
  segments        uuid,
  contact_imports uuid,
  bulk_jobs       uuid,
  campaigns       uuid,
  suppressions    uuid,
  workflows       uuid,
  executions      uuid
);

comment on table resets is
'Projects that are being reset. Each column holds the highest id of its table when the reset was requested, or null if
the table had no rows. Rows up to that id are removed, and nothing that they lead to is sent any more. Ids are ordered
by time, so rows made later stay. The functions `is_reset` define what a reset removes. A row exists only while a reset
is in progress, so a check usually reads an empty table.';

create function contacts_reset_up_to(project uuid) returns uuid
language sql stable parallel safe
return coalesce(
  (select r.contacts from resets r where r.project_id = project), '00000000-0000-0000-0000-000000000000'
);
comment on function contacts_reset_up_to is
'A reset removes the contacts of a project up to this id. The nil UUID if no reset is in progress.';

create function starts_of_workflows(project uuid) returns bigint
language sql immutable parallel safe
return hashtextextended('starts of workflows ' || project::text, 0);
comment on function starts_of_workflows is
'Key of the advisory lock between a reset and the code that starts workflows: nothing may start that the reset has
not seen.';

create function remove_project_rows(project uuid, from_table text, max_rows int) returns int
language plpgsql as $$
declare
  removed int;
begin
  execute format(
    'delete from %1$I where ctid = any (array(select ctid from %1$I where project_id = $1 limit $2))', from_table
  ) using project, max_rows;
  get diagnostics removed = row_count;
  return removed;
end $$;
comment on function remove_project_rows is
'Deletes up to `max_rows` rows of a project from a table and returns how many. For tables that hold few rows of a
project, or that are already empty when the removal reaches them: it does not use the primary key.';
