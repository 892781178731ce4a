alter table emails
  add column workflow_id uuid,
  add column step_id uuid;
comment on column emails.workflow_id is
'For a mail of a workflow: stored with the mail, so that a list by workflow needs one index.';
comment on column emails.step_id is 'For a mail of a workflow: the step that sent it. The step may be gone.';

alter table emails disable trigger emails_count;
update emails e
set workflow_id = x.workflow_id, step_id = s.step_id
from executions x
left join step_executions s on s.project_id = x.project_id and s.execution_id = x.id
where e.workflow_execution_id is not null
  and x.project_id = e.project_id
  and x.id = e.workflow_execution_id
  and s.id = e.id;
alter table emails enable trigger emails_count;

drop index emails_by_template;
create index emails_by_template on emails (project_id, template_id, id) where template_id is not null;
comment on index emails_by_template is 'Serves `emails.list` by template, and `templates.count_sent`.';

create index emails_by_workflow on emails (project_id, workflow_id, id) where workflow_id is not null;
comment on index emails_by_workflow is 'Serves `emails.list` by workflow.';

create index emails_by_source on emails (project_id, source_type, id);
comment on index emails_by_source is
'Serves `emails.list` by source: single mails among millions of mails of campaigns, and vice versa.';

create index emails_by_content on emails (project_id, content_id, id) where campaign_id is null;
comment on index emails_by_content is
'Serves `emails.find`: the mails with a subject. Those of campaigns are found by their campaign.';

create index contents_subject_trigrams on contents using gin (subject gin_trgm_ops);
comment on index contents_subject_trigrams is 'Serves `emails.found_contents`.';

create index emails_by_outcome on emails (project_id, campaign_id, status, id)
where campaign_id is not null and status not in ('PENDING', 'SENDING', 'SENT');
comment on index emails_by_outcome is
'Serves `emails.list` by campaign and status, except for the states that every mail passes through: either most of
its mails are in such a state, or few are left in it.';

create index emails_opened on emails (project_id, campaign_id, id)
where campaign_id is not null and opened_at is not null;
comment on index emails_opened is 'Serves `emails.list`: the recipients of a campaign who opened it.';

create index emails_clicked on emails (project_id, campaign_id, id)
where campaign_id is not null and clicked_at is not null;
comment on index emails_clicked is 'Serves `emails.list`: the recipients of a campaign who clicked.';

create index emails_unsubscribed on emails (project_id, campaign_id, id)
where campaign_id is not null and unsubscribed_at is not null;
comment on index emails_unsubscribed is
'Serves `emails.list`: the recipients of a campaign who unsubscribed through it.';

create table campaign_links (
  project_id  uuid not null references projects on delete cascade,
  campaign_id uuid not null,
  link_key    uuid not null,
  link        text not null,
  clicks      int not null,
  first_clicks int not null,
  primary key (project_id, campaign_id, link_key),
  constraint campaign_links_campaign_fkey foreign key (project_id, campaign_id) references campaigns on delete cascade
);
comment on table campaign_links is
'How often people followed each link of a campaign, except for what is still in `campaign_link_deltas`.';
comment on column campaign_links.link_key is 'MD5 of the link: an index cannot hold text of any length.';
comment on column campaign_links.first_clicks is 'Mails whose first click was on this link.';

create table campaign_link_deltas (
  project_id   uuid not null,
  campaign_id  uuid not null,
  link         text not null,
  clicks       int not null,
  first_clicks int not null
);
comment on table campaign_link_deltas is
'What was clicked since the last roll-up. Append-only, so that no click waits for another.';

create index campaign_link_deltas_by_campaign on campaign_link_deltas (project_id, campaign_id);
comment on index campaign_link_deltas_by_campaign is 'Serves `campaign_links.list`.';
