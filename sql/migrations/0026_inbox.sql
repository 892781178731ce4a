-- Previously, a captured mail had no project: existing ones stay the operator's.
alter table captured_mails
  add column project_id uuid not null default '00000000-0000-0000-0000-000000000000',
  add column email_id uuid,
  add column read_at timestamptz,
  drop constraint captured_mails_pkey,
  add primary key (project_id, id);

comment on table captured_mails is
'Mail that was captured instead of sent, for the inbox; the newest of each project are kept. The mail itself is in the
ledger.';
comment on column captured_mails.project_id is
'All zeros: a mail of the installation itself, such as a password reset. No foreign key: deleting a project removes
them.';
comment on column captured_mails.email_id is 'The row of the ledger. Null for mails of the installation.';
comment on column captured_mails.read_at is 'Since when the inbox has shown it as read, to everybody. Null: unread.';

create index captured_mails_by_id on captured_mails (id);
comment on index captured_mails_by_id is
'Serves `captured_mails.list` and `captured_mails.by_id` for the operator, who sees all projects, and
`captured_mails.drop_old`.';
