-- Who was asked to join a project and has not yet. Their address may have no account, or none that was verified.
create table invitations (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null default uuid_v7(),
  email      text not null check (email = lower(email) and length(email) <= 254),
  role       member_role not null,
  -- The user who vouches for the role, and has to be able to when it is accepted; null: the operator.
  invited_by uuid,
  -- SHA-256 of the token in the mail. Who has it gets the mail of that address.
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (project_id, id),
  unique (project_id, email)
);

-- Serves `invitations.accept`.
create index invitations_by_email on invitations (email);

-- What was done on a day (UTC) by somebody, or to an address. It outlives projects, so that nobody begins afresh with a new
-- one.
create table daily_counts (
  -- Of what, and by or to whom.
  key   text not null,
  day   date not null,
  count int not null,
  primary key (key, day)
);

-- Requests of a user in the current minute, where they act for no project: as `rate_limits`.
create unlogged table user_rate_limits (
  user_id uuid primary key,
  minute  int not null,
  used    int not null
);

create type audit_actor as enum ('USER', 'KEY', 'OPERATOR', 'SERVICE');

-- Who did what to a project. Only appended to, and gone only with the project.
create table audit (
  project_id    uuid not null references projects on delete cascade,
  id            uuid not null default uuid_v7(),
  at            timestamptz not null,
  actor_kind    audit_actor not null,
  -- Stays when the user goes, and so does the name: the address of a user, the end of a key.
  actor_user_id uuid,
  actor_name    text,
  action        text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  -- What it was done to, in words that outlive it: an address, a domain, the name of a campaign.
  subject       text,
  details       jsonb not null default '{}' check (jsonb_typeof(details) = 'object'),
  primary key (project_id, id)
);

create function refuse_audit_change() returns trigger
language plpgsql as $$
begin
  raise exception 'the audit log is only appended to' using errcode = 'insufficient_privilege';
end $$;

create trigger audit_unchanged
before update or truncate on audit
for each statement execute function refuse_audit_change();

-- Lines go with their project, when it is deleted or on its way out.
create function refuse_audit_removal() returns trigger
language plpgsql as $$
begin
  if exists (select from gone g join projects p on p.id = g.project_id where p.deleted_at is null) then
    raise exception 'the audit log is only appended to' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;

create trigger audit_kept
after delete on audit
referencing old table as gone
for each statement execute function refuse_audit_removal();

-- Else somebody could take lines of a project away while it counts as deleted, and bring it back.
create function refuse_return() returns trigger
language plpgsql as $$
begin
  raise exception 'a deleted project does not come back' using errcode = 'insufficient_privilege';
end $$;

create trigger projects_stay_deleted
before update of deleted_at on projects
for each row
when (old.deleted_at is not null and new.deleted_at is distinct from old.deleted_at)
execute function refuse_return();
