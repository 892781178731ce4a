create type message_type as enum ('TRANSACTIONAL', 'MARKETING', 'HEADLESS');

-- `body` is what the author wrote, `html` what is rendered: the same, unless the body is MJML.
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
