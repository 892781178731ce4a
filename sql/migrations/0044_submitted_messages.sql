alter table attachments drop constraint attachments_disposition_check;
alter table attachments add constraint attachments_disposition_check
  check (disposition in ('attachment', 'inline', 'message'));

comment on table attachments is
'The attachments of a content, in their order. One with the disposition `message` is the whole message, as somebody
submitted it over SMTP: its content has nothing else, and an empty body.';
