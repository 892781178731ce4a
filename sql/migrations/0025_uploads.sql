-- Images of templates and mails, for anybody who has their address. A key stands for a file that a project has uploaded:
-- the same one twice is one row, and what a key stands for never changes.
create table uploads (
  project_id   uuid not null references projects on delete cascade,
  key          text not null check (key ~ '^[0-9a-f]{32}\.(jpg|png|gif|webp)$'),
  content_type text not null,
  size         int not null check (size between 1 and 20971520),
  -- Null for an image that is kept in S3.
  bytes        bytea check (octet_length(bytes) = size),
  -- Null until it is in S3. The row is there before, so that nothing is kept there that nobody knows.
  stored_at    timestamptz check (stored_at is not null or bytes is null),
  created_at   timestamptz not null default now(),
  primary key (project_id, key)
);

-- Compressed already.
alter table uploads alter column bytes set storage external;

-- Serves `uploads.by_key`: an address names no project.
create index uploads_by_key on uploads (key);
