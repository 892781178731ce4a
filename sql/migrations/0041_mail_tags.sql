alter table contents add column tags jsonb;
comment on column contents.tags is
'What the caller marks its mails with, as `[{name, value}]`. Null where there are none. Mails are found by them through
`email_tags`.';
alter table contents add column track_opens boolean;
comment on column contents.track_opens is 'What the request says about opens; null: `tracked` decides.';
alter table contents add column track_clicks boolean;
comment on column contents.track_clicks is 'What the request says about clicks; null: `tracked` decides.';
alter table contents add column offers_unsubscribe boolean;
comment on column contents.offers_unsubscribe is
'The request asks for the header fields of one-click unsubscription. Null, as false: the type of the message and its
links decide.';

create table email_tags (
  project_id uuid not null,
  email_id   uuid not null,
  tag        text not null,
  primary key (project_id, email_id, tag)
);
comment on table email_tags is
'Which mails have a tag, as `name:value`: only mails with tags have rows here. They go in the statements that delete
mails.';

create index email_tags_by_tag on email_tags (project_id, tag, email_id);
comment on index email_tags_by_tag is 'Serves `emails.list` and `emails.count_tagged`: the mails with a tag, in their order.';

create function tags_by_name(tags jsonb) returns jsonb
language sql immutable parallel safe
return (select jsonb_object_agg(t ->> 'name', t ->> 'value') from jsonb_array_elements(tags) as t);
comment on function tags_by_name is 'The tags of a mail as its events have them: the values by their names.';
