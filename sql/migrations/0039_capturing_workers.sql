-- Whether the process captures mail, because it has no `SMTP_URL`: released mails must not reach one of these.
alter table workers add column captures boolean not null default false;
