create type recipient_role as enum ('to', 'cc', 'bcc');

alter table emails add column role recipient_role;
comment on column emails.role is
'How the recipient of a message with several recipients is named in its header; `bcc`: not at all. Null for a mail that
names its own recipient only.';
alter table emails add column parent_id uuid;
comment on column emails.parent_id is
'For a message with several recipients, who all see the same header: its mail to the first of them, also in the row of
that mail. Null for all other mails. No foreign key: it may be gone.';

create index emails_by_parent on emails (project_id, parent_id, id) where parent_id is not null;
comment on index emails_by_parent is 'Serves `emails.list` by parent, and what is done to all mails of a message.';

alter table contents add column recipients jsonb;
comment on column contents.recipients is
'Where all mails of this content have the same header: whom the message names, as `{to, cc, bcc}`, lists of `{email, name}`.
Null where each mail names its own recipient. An address goes with its contact.';

create function first_recipient(project uuid, mail uuid) returns jsonb
language sql stable parallel safe
begin atomic
  select jsonb_build_object('id', c.id, 'email', c.email, 'subscribed', c.subscribed, 'data', c.data)
  from emails e
  join contacts c on c.project_id = e.project_id and c.id = e.contact_id
  where e.project_id = project and e.id = mail;
end;
comment on function first_recipient is
'The contact of a mail, as it is now: all mails of a message show what is known of its first recipient. Null once the
contact is gone.';
