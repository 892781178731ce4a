create type email_source as enum ('TRANSACTIONAL', 'WORKFLOW', 'CAMPAIGN');

create type email_status as enum (
  'PENDING', 'SENDING', 'IN_DOUBT', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'BOUNCED', 'COMPLAINED', 'FAILED',
  'SUPPRESSED'
);

-- What a message says, once for all its recipients. The ledger can do without it.
create table contents (
  project_id  uuid not null references projects on delete cascade,
  id          uuid not null default uuid_v7(),
  subject     text not null,
  html        text not null,
  -- The text part, where it is the same for every recipient; null where it is made for each.
  text        text,
  from_email  text not null,
  from_name   text,
  reply_to    text,
  headers     jsonb,
  -- The `data` of the request: it goes over the contact's own, for this message only.
  data        jsonb,
  template_id uuid,
  type        message_type not null default 'TRANSACTIONAL',
  -- Whether opens and clicks of these mails are followed, as the project wanted it when they were accepted.
  tracked     boolean not null default false,
  -- More than one mail says this: whoever sends them keeps it in memory.
  shared      boolean not null default false,
  created_at  timestamptz not null default now(),
  primary key (project_id, id)
);

create table attachments (
  project_id   uuid not null,
  content_id   uuid not null,
  position     int not null,
  filename     text not null,
  content_type text not null,
  cid          text,
  disposition  text not null check (disposition in ('attachment', 'inline')),
  content      bytea not null,
  primary key (project_id, content_id, position),
  foreign key (project_id, content_id) references contents (project_id, id) on delete cascade
);

-- What a mail has come to, when its sender says that it is sent, or that nobody knows: who opened it knows.
create function reached(said email_status, opened_at timestamptz, clicked_at timestamptz) returns email_status
language sql immutable parallel safe
return case
  when said not in ('SENT', 'IN_DOUBT') then said
  when clicked_at is not null then 'CLICKED'
  when opened_at is not null then 'OPENED'
  else said
end;

-- The advisory lock between those who freeze audiences of a project and those who delete its contacts.
create function emails_of_contacts(project uuid) returns bigint
language sql immutable parallel safe
return hashtextextended('emails of contacts ' || project::text, 0);

-- The ledger: one row a message. States only move forward, and every move is a guarded UPDATE.
--
-- Foreign keys would be checked row by row: with them freezing 1,000,000 recipients takes 16 s, without 5. What they
-- would promise is kept otherwise: `contact_deletion.part_with_emails` lets go of what a deleted contact leaves, and
-- whoever adds a mail has just written its contact, or holds the lock `emails_of_contacts`; a content that has expired is simply
-- not found.
create table emails (
  project_id            uuid not null,
  id                    uuid not null default uuid_v7(),
  contact_id            uuid,
  address               text not null,
  to_name               text,
  content_id            uuid,
  source_type           email_source not null,
  campaign_id           uuid,
  -- Of a direct send or a workflow step; a campaign knows its own.
  template_id           uuid,
  workflow_execution_id uuid,
  -- What this mail's template sees beyond its contact and its content, of a workflow: `{event?, …}`. Null again when the
  -- mail has come to an end.
  data                  jsonb,
  status                email_status not null default 'PENDING',
  -- The process that holds the row while it is SENDING.
  claimed_by            uuid,
  attempts              int not null default 0,
  -- PENDING: not before this time. SENDING: claimed at. IN_DOUBT: in doubt since.
  due_at                timestamptz not null,
  -- When it was first claimed: how long it is tried again counts from then.
  tried_at              timestamptz,
  -- When it first was in doubt: a mail of which its recipient may have two. It stays, whatever becomes of it.
  doubted_at            timestamptz,
  message_id            text,
  -- By what the provider knows it, where its server says so when it takes the mail.
  provider_id           text,
  error                 text,
  queued_at             timestamptz not null,
  sent_at               timestamptz,
  delivered_at          timestamptz,
  opened_at             timestamptz,
  clicked_at            timestamptz,
  bounced_at            timestamptz,
  complained_at         timestamptz,
  -- When the recipient unsubscribed through a link of this very mail.
  unsubscribed_at       timestamptz,
  -- When a machine first opened it, as filters and mail programs do: that says nothing about its recipient.
  machine_opened_at     timestamptz,
  opens                 int not null default 0,
  clicks                int not null default 0,
  primary key (project_id, id)
);

-- Of the rows that change often only the open ones are indexed by their state, so these stay small.
-- Serves `emails.requeue_overdue`, `campaigns.finish` and `campaigns.requeue`.
create index emails_pending on emails (campaign_id, due_at) where status = 'PENDING';

-- Serves `emails.doubt_dead`, `emails.doubt_orphans`, `emails.held_by` and `campaigns.finish`.
create index emails_sending on emails (claimed_by) where status = 'SENDING';

-- Serves `emails.settle_doubts`.
create index emails_in_doubt on emails (due_at) where status = 'IN_DOUBT';

-- Serves `emails.list` by contact, and the deletion of a contact.
create index emails_by_contact on emails (project_id, contact_id, id);

-- Serves `emails.list` by campaign.
create index emails_by_campaign on emails (project_id, campaign_id, id) where campaign_id is not null;

-- Serves `emails.list` by status. Left out are the states that every mail goes through: PENDING and SENDING are found
-- by the index of open rows, SENT from the newest row down.
create index emails_by_status on emails (project_id, status, id)
where status not in ('PENDING', 'SENDING', 'SENT');

-- Serves `templates.count_sent`.
create index emails_by_template on emails (project_id, template_id) where template_id is not null;

-- Mail that was captured instead of sent, newest kept. Shown on /inbox.
create table captured_mails (
  id           uuid primary key default uuid_v7(),
  from_address text not null,
  to_address   text not null,
  subject      text not null,
  source       bytea not null,
  captured_at  timestamptz not null default now()
);
