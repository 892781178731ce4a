alter table emails add column scheduled_for timestamptz;
comment on column emails.scheduled_for is
'When the caller wants it sent: until then it is not claimed, whatever job asks for it. Null: at once.';

create table scheduled_emails (
  project_id uuid not null,
  email_id   uuid not null,
  send_at    timestamptz not null,
  primary key (project_id, email_id)
);
comment on table scheduled_emails is
'Mails whose time is not near: a job every minute takes those out that are due soon, and gives them jobs of their own.
So a million mails for next month are none in the queue, through which every process reads. Rows go with their mails.';

create index scheduled_emails_by_time on scheduled_emails (send_at);
comment on index scheduled_emails_by_time is 'Serves `scheduled_emails.take_due`.';
