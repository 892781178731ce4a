create type message_type as enum ('TRANSACTIONAL', 'MARKETING', 'HEADLESS');

create table templates (
  project_id  uuid not null references projects on delete cascade,
  id          uuid not null default uuid_v7(),
  name        text not null,
  description text,
  subject     text not null check (length(subject) between 1 and 998),
  body        text not null check (length(body) >= 1),
  html        text not null,
  from_email  text not null,
  from_name   text,
  reply_to    text,
  type        message_type not null default 'MARKETING',
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  primary key (project_id, id)
);

comment on table templates is
'Reusable mails. `body` is what the author wrote, `html` what is rendered: the same, unless the body is MJML.';

create table contents (
  project_id  uuid not null references projects on delete cascade,
  id          uuid not null default uuid_v7(),
  subject     text not null,
  html        text,
  text        text,
  from_email  text not null,
  from_name   text,
  reply_to    text,
  headers     jsonb,
  data        jsonb,
  template_id uuid,
  type        message_type not null default 'TRANSACTIONAL',
  tracked     boolean not null default false,
  shared      boolean not null default false,
  created_at  timestamptz not null default now(),
  emptied_at  timestamptz,
  primary key (project_id, id),
  check ((html is null) = (emptied_at is not null))
);

comment on table contents is
'The content of a message, stored once for all its recipients. The ledger does not depend on it.';
comment on column contents.html is
'Null once the body is no longer needed. What remains identifies its mails: subject, sender, template.';
comment on column contents.text is
'The text part if it is the same for every recipient; null if it is made for each.';
comment on column contents.data is
'The `data` of the request: it overrides that of the contact, for this message only.';
comment on column contents.tracked is
'Whether opens and clicks of its mails are tracked: the setting of the project when they were accepted.';
comment on column contents.shared is
'More than one mail has this content, so the sending process keeps it in memory.';
comment on column contents.emptied_at is 'When the body was removed.';

create index contents_full on contents (id) where emptied_at is null;
comment on index contents_full is 'Serves `retention.empty_contents`: those with a body, the oldest first.';

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

comment on table attachments is 'The attachments of a content, in their order.';

create table uploads (
  project_id   uuid not null references projects on delete cascade,
  key          text not null check (key ~ '^[0-9a-f]{32}\.(jpg|png|gif|webp)$'),
  content_type text not null,
  size         int not null check (size between 1 and 20971520),
  bytes        bytea check (octet_length(bytes) = size),
  stored_at    timestamptz check (stored_at is not null or bytes is null),
  created_at   timestamptz not null default now(),
  primary key (project_id, key)
);

comment on table uploads is
'Images of templates and mails, public to anyone who knows their address. A key identifies the bytes that a project
uploaded: the same file uploaded twice is one row, and what a key identifies never changes.';
comment on column uploads.bytes is 'Null for an image that is stored in S3.';
comment on column uploads.stored_at is
'Null until it is in S3. The row is written first, so that S3 never holds an object that no row knows.';

-- Compressed already.
alter table uploads alter column bytes set storage external;

create index uploads_by_key on uploads (key);
comment on index uploads_by_key is 'Serves `uploads.by_key`: an address does not contain the project.';
