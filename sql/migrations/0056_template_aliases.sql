alter table templates
  add column alias text check (alias ~ '^[A-Za-z0-9._-]{1,128}$'),
  add unique (project_id, alias);
comment on column templates.alias is
'What applications with the SDK of another provider call it, such as `d-12ab` or `welcome`; null for none. It is no part of a
version: a restored one keeps it.';

drop trigger templates_edited on templates;
create trigger templates_edited
before update of name, description, alias, subject, preheader, body, from_email, from_name, reply_to, type on templates
for each row execute function note_edit();
comment on trigger templates_edited on templates is
'Sets `edited_at` and `edited_by`.';
