create type move_state as enum ('UPLOADING', 'CHECKING', 'READY', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED');

create table moves (
  project_id     uuid not null references projects on delete cascade,
  id             uuid not null,
  source         text not null check (source in ('plunk', 'postrider', 'listmonk', 'mailchimp', 'brevo', 'sendgrid')),
  state          move_state not null,
  url            text,
  access         bytea,
  sender         text,
  as_state       text check (as_state in ('subscribed', 'unsubscribed', 'bounced', 'complained', 'blocked')),
  created_by     text not null,
  started_by     jsonb,
  step           text not null default 'lists',
  page           text,
  items_done     int not null default 0,
  pages          int not null default 0,
  failures       int not null default 0,
  counts         jsonb not null default '{}',
  found          jsonb,
  left_out_total int not null default 0,
  failed_reason  text,
  created_at     timestamptz not null,
  changed_at     timestamptz not null,
  started_at     timestamptz,
  finished_at    timestamptz,
  primary key (project_id, id),
  check ((finished_at is not null) = (state in ('DONE', 'FAILED', 'CANCELLED'))),
  check (finished_at is null or access is null)
);
comment on table moves is
'What comes into a project from another service: first a dry run (`CHECKING`), then the real one (`RUNNING`). A row is both the
job and its report. Where a project itself came from is in `project_moves`.';
comment on column moves.access is 'Sealed: how the other service is read. Empty once the move has ended.';
comment on column moves.sender is 'For templates of the other service that have none.';
comment on column moves.as_state is 'What the contacts are of files that do not say it.';
comment on column moves.started_by is 'Who has started it, for the audit log: the actor.';
comment on column moves.step is 'What is read now, and which page of it comes next; of that page, `items_done` have come in.';
comment on column moves.pages is 'Read so far, so that a server whose pages never end is found out.';
comment on column moves.failures is 'How often in a row the other service could not be read.';
comment on column moves.counts is 'What came of it so far, of the dry run or of the real one.';
comment on column moves.found is 'What the dry run came to.';

create unique index moves_open on moves (project_id) where finished_at is null;
comment on index moves_open is 'A project takes in one service at a time. Serves `moves.expired` and `moves.open`.';

create index moves_finished on moves (finished_at) where finished_at is not null;
comment on index moves_finished is 'Serves `retention.drop_moves`.';

create table move_files (
  project_id  uuid not null,
  move_id     uuid not null,
  id          uuid not null,
  name        text not null check (length(name) between 1 and 255),
  bytes       bigint not null default 0,
  uploaded_at timestamptz,
  primary key (project_id, move_id, id),
  foreign key (project_id, move_id) references moves (project_id, id) on delete cascade
);
comment on table move_files is 'What another service has exported. Deleted when the move ends.';
comment on column move_files.uploaded_at is 'Null while it is being uploaded.';

create table move_file_pieces (
  project_id uuid not null,
  move_id    uuid not null,
  file_id    uuid not null,
  position   int not null check (position >= 0),
  deflated   bytea not null check (octet_length(deflated) <= 70000),
  primary key (project_id, move_id, file_id, position),
  foreign key (project_id, move_id, file_id) references move_files (project_id, move_id, id) on delete cascade
);
comment on table move_file_pieces is 'The files in pieces of 64 KB, the last one may be shorter.';

create table move_ids (
  project_id uuid not null,
  move_id    uuid not null,
  theirs     text not null,
  ours       uuid not null,
  is_list    boolean not null,
  primary key (project_id, move_id, theirs),
  foreign key (project_id, move_id) references moves (project_id, id) on delete cascade
);
comment on table move_ids is
'Ids there and here of segments and templates, for what names them. Deleted when the move ends.';
comment on column move_ids.is_list is 'Of a static segment, whose members come after the contacts.';

create table move_left_out (
  project_id uuid not null,
  move_id    uuid not null,
  position   int not null,
  what       text not null,
  why        text not null,
  primary key (project_id, move_id, position),
  foreign key (project_id, move_id) references moves (project_id, id) on delete cascade
);
comment on table move_left_out is
'What did not come, or would not, and why: the first 10,000. Those of the dry run are replaced by those of the real one.';
