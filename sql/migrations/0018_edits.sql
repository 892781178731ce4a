create function note_edit() returns trigger
language plpgsql as $$
begin
  new.edited_at := clock_timestamp();
  new.edited_by := nullif(current_setting('postrider.editor', true), '');
  return new;
end $$;
comment on function note_edit is
'Notes when something that people edit was edited, and by whom: `postrider.editor` of the transaction, set by
`edits.act_as`.';

alter table templates
  add column preheader text check (length(preheader) <= 255),
  add column edited_at timestamptz not null default now(),
  add column edited_by text default nullif(current_setting('postrider.editor', true), '');
alter table campaigns
  add column preheader text check (length(preheader) <= 255),
  add column edited_at timestamptz not null default now(),
  add column edited_by text default nullif(current_setting('postrider.editor', true), '');
alter table segments
  add column edited_at timestamptz not null default now(),
  add column edited_by text default nullif(current_setting('postrider.editor', true), '');
alter table workflows
  add column edited_at timestamptz not null default now(),
  add column edited_by text default nullif(current_setting('postrider.editor', true), '');

update templates set edited_at = updated_at;
alter table campaigns disable trigger user;
update campaigns set edited_at = updated_at;
alter table campaigns enable trigger user;
update segments set edited_at = updated_at;
update workflows set edited_at = updated_at;

comment on column templates.preheader is
'What inboxes show next to the subject. It is added to the HTML when a mail is made.';
comment on column campaigns.preheader is
'What inboxes show next to the subject. It is added to the HTML when the campaign is sent.';

create trigger templates_edited
before update of name, description, subject, preheader, body, from_email, from_name, reply_to, type on templates
for each row execute function note_edit();
comment on trigger templates_edited on templates is 'Sets `edited_at` and `edited_by`.';

create trigger campaigns_edited
before update of name, description, subject, preheader, body, from_email, from_name, reply_to, type, audience_type,
  segment_id, audience_condition, template_id on campaigns
for each row execute function note_edit();
comment on trigger campaigns_edited on campaigns is 'Sets `edited_at` and `edited_by`.';

create trigger segments_edited
before update of name, description, condition, track_membership on segments
for each row execute function note_edit();
comment on trigger segments_edited on segments is 'Sets `edited_at` and `edited_by`.';

create trigger workflows_edited
before update of updated_at on workflows
for each row execute function note_edit();
comment on trigger workflows_edited on workflows is
'Sets `edited_at` and `edited_by`, including when its graph is edited.';

create table template_versions (
  project_id  uuid not null,
  template_id uuid not null,
  version     int not null,
  name        text not null,
  description text,
  subject     text not null,
  preheader   text,
  body        text not null,
  html        text not null,
  from_email  text not null,
  from_name   text,
  reply_to    text,
  type        message_type not null,
  created_at  timestamptz not null,
  created_by  text,
  primary key (project_id, template_id, version),
  foreign key (project_id, template_id) references templates on delete cascade
);
comment on table template_versions is
'The versions of a template, including the current one: up to 100, written by the trigger `templates_keep_version`.';
comment on column template_versions.created_by is 'Who wrote it: an address, or which key. Null if unknown.';

create function keep_template_version() returns trigger
language plpgsql as $$
declare
  latest template_versions;
begin
  select * into latest
  from template_versions v
  where v.project_id = new.project_id and v.template_id = new.id
  order by v.version desc
  limit 1;
  if latest.version is not null and
    (
      new.name, new.description, new.subject, new.preheader, new.body, new.from_email, new.from_name, new.reply_to,
      new.type
    ) is not distinct from (
      latest.name, latest.description, latest.subject, latest.preheader, latest.body, latest.from_email,
      latest.from_name, latest.reply_to, latest.type
    )
  then
    return null;
  end if;
  insert into template_versions
  values (
    new.project_id, new.id, coalesce(latest.version, 0) + 1, new.name, new.description, new.subject, new.preheader,
    new.body, new.html, new.from_email, new.from_name, new.reply_to, new.type, new.edited_at, new.edited_by
  );
  delete from template_versions v
  where v.project_id = new.project_id and v.template_id = new.id and v.version <= latest.version - 99;
  return null;
end $$;
comment on function keep_template_version is
'Stores the current template as a version if anything in it has changed. Writers of a template wait for each other at
its row, so versions have no gaps.';

create trigger templates_keep_version
after insert or update on templates
for each row execute function keep_template_version();
comment on trigger templates_keep_version on templates is
'Adds to `template_versions`, and drops all but the last 100.';

insert into template_versions
select
  project_id, id, 1, name, description, subject, preheader, body, html, from_email, from_name, reply_to, type, updated_at,
  null
from templates;
