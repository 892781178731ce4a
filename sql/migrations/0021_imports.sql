alter table contact_imports
  add column file_name text,
  add column mapping jsonb check (jsonb_typeof(mapping) = 'object'),
  add column subscribes boolean not null default true,
  add column created_by text,
  add column uploaded_at timestamptz default now(),
  add column examples jsonb not null default '[]',
  add column bytes_done bigint not null default 0,
  add column lines_done int not null default 0,
  add column undo_state contact_job_state,
  add column undo_after uuid,
  add column undo_deleted int not null default 0,
  add column undo_restored int not null default 0,
  add column undo_kept int not null default 0;
comment on column contact_imports.mapping is
'What each column of the file contains: `email`, `subscribed`, a key of the data, or null.';
comment on column contact_imports.subscribes is 'Whether the contacts that it creates are subscribed.';
comment on column contact_imports.created_by is 'Who started it: an address, or which key.';
comment on column contact_imports.uploaded_at is 'Null while the file is being uploaded.';
comment on column contact_imports.examples is 'For a dry run: what would happen to the first 20 contacts.';
comment on column contact_imports.bytes_done is
'Where in the file the row after `rows_done` begins, so that a later run need not read everything before it again.';
comment on column contact_imports.lines_done is
'How many lines of the file come before that, including the header and blank lines.';
comment on column contact_imports.undo_after is 'The contact up to which the import has been undone.';
comment on column contact_imports.undo_kept is
'How many contacts were left as they are, because they had been changed since.';

create index contact_imports_uploading on contact_imports (created_at) where uploaded_at is null;
comment on index contact_imports_uploading is 'Serves `contact_imports.drop_abandoned`.';

create table contact_import_changes (
  project_id        uuid not null,
  import_id         uuid not null,
  contact_id        uuid not null,
  is_new            boolean not null,
  before            jsonb not null,
  after             jsonb not null,
  subscribed_before boolean not null,
  subscribed_after  boolean not null,
  changed_at        timestamptz not null,
  primary key (project_id, import_id, contact_id),
  foreign key (project_id, import_id) references contact_imports (project_id, id) on delete cascade
);
comment on table contact_import_changes is
'What an import did to each contact, so that it can be undone for 7 days. In `before`, a key that did not exist is
null.';
