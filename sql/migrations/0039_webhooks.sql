create table webhooks (
  project_id    uuid not null references projects on delete cascade,
  id            uuid not null default uuid_v7(),
  url           text not null check (length(url) between 1 and 2048),
  description   text not null default '' check (length(description) <= 255),
  events        text[] not null check (cardinality(events) between 1 and 50),
  event_names   text[] check (cardinality(event_names) between 1 and 100),
  secret        bytea not null,
  enabled       boolean not null default true,
  paused_at     timestamptz,
  pause_reason  text check (pause_reason in ('USER', 'FAILING', 'GONE')),
  failures      int not null default 0,
  failing_since timestamptz,
  retry_at      timestamptz,
  lease_id      uuid,
  lease_until   timestamptz,
  created_by    text not null,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  primary key (project_id, id),
  constraint webhooks_paused check (enabled = (paused_at is null) and enabled = (pause_reason is null))
);

comment on table webhooks is
'Where a project wants to be told what happens in it: an endpoint, with its line of deliveries. A line is called by one
job at a time, so an endpoint that does not respond holds one job and one row, however many deliveries wait for it.';
comment on column webhooks.events is 'Types, such as `email.bounced`; `email.*` for all of a group, `*` for all.';
comment on column webhooks.event_names is 'Of `event.tracked`: only these names. Null: all.';
comment on column webhooks.secret is
'What signs its deliveries, and until when the previous secret does as well. Encrypted with `SECRET_KEY`, and bound to
both ids.';
comment on column webhooks.pause_reason is
'USER: somebody paused it. FAILING: every call failed for three days. GONE: it responded 410. Nothing new is collected
for it; what waits is kept.';
comment on column webhooks.failures is
'How often in a row it failed and had to rest: before `retry_at` it is not called. `failing_since` is the time of the
first failure.';
comment on column webhooks.lease_id is 'The job that calls it, until `lease_until`: after that the job is considered dead.';

create table webhook_days (
  project_id uuid not null,
  webhook_id uuid not null,
  day        date not null,
  delivered  int not null,
  failed     int not null,
  primary key (project_id, webhook_id, day),
  foreign key (project_id, webhook_id) references webhooks on delete cascade
);
comment on table webhook_days is 'How many calls of a webhook succeeded and failed on a day (UTC).';

create table webhook_notes (
  project_id uuid not null references projects on delete cascade,
  id         bigint not null generated always as identity,
  kind       text not null,
  ids        uuid[] not null,
  created_at timestamptz not null default now(),
  primary key (project_id, id)
);
comment on table webhook_notes is
'What happened that a webhook wants to know, and is not a message yet: up to 500 events or other rows in one note. It is
written by triggers in the statement that it is about, so it is there if and only if that commits, and taken by
`fan_out_webhooks` a moment later. A cursor over the events would be cheaper still, but cannot be safe: their ids are of
the time when something happened, up to a day before they are written, and they may be committed in any order.';
comment on column webhook_notes.kind is '`event`: rows of `events`. Otherwise the type of the message, such as `campaign.sent`.';

create table webhook_messages (
  project_id uuid not null references projects on delete cascade,
  id         uuid not null,
  type       text not null,
  event_name text,
  contact_id uuid,
  body       text not null,
  created_at timestamptz not null,
  primary key (project_id, id),
  foreign key (project_id, contact_id) references contacts on delete cascade
);
comment on table webhook_messages is
'What is sent, once for all endpoints that want it: the body does not change from one attempt to the next. The id is that
of the event, if there is one: an event becomes one message.';
comment on column webhook_messages.contact_id is 'Whom it is about: it is deleted with the contact.';
create index webhook_messages_by_contact on webhook_messages (project_id, contact_id) where contact_id is not null;
comment on index webhook_messages_by_contact is 'Serves the deletion of a contact.';

create type webhook_delivery_status as enum ('PENDING', 'DELIVERED', 'FAILED');

create table webhook_deliveries (
  project_id uuid not null,
  webhook_id uuid not null,
  message_id uuid not null,
  type       text not null,
  status     webhook_delivery_status not null default 'PENDING',
  attempts   int not null default 0,
  due_at     timestamptz,
  tries      jsonb not null default '[]',
  response   jsonb,
  created_at timestamptz not null,
  primary key (project_id, webhook_id, message_id),
  constraint webhook_deliveries_due check ((status = 'PENDING') = (due_at is not null))
);
comment on table webhook_deliveries is
'A message for one endpoint. It has no foreign keys, as the ledger has none: they would be checked row by row. One whose
message is gone, with its contact, is deleted when it is due.';
comment on column webhook_deliveries.attempts is 'Since it was created, or last replayed.';
comment on column webhook_deliveries.tries is 'The latest 20: `[{"at", "ms", "status" or "error"}]`, oldest first.';
comment on column webhook_deliveries.response is 'The last response: `{"status", "headers", "body", "truncated"}`, 4 KB of it.';

create index webhook_deliveries_due on webhook_deliveries (project_id, webhook_id, due_at, message_id)
where due_at is not null;
comment on index webhook_deliveries_due is
'Serves `webhook_line.due`: the line of one endpoint. What waits for others is elsewhere in the index.';
create index webhook_deliveries_open on webhook_deliveries (project_id, webhook_id, status, message_id)
where status <> 'DELIVERED';
comment on index webhook_deliveries_open is 'Serves the list and the replay of what waits or has failed.';
create index webhook_deliveries_by_type on webhook_deliveries (project_id, webhook_id, type, message_id);
comment on index webhook_deliveries_by_type is 'Serves the list of one type.';

create function webhook_type(event_name text) returns text
language sql immutable parallel safe
return case
  when event_name in ('email.sent', 'email.received', 'email.complaint', 'contact.subscribed', 'contact.unsubscribed')
    then event_name
  when event_name = 'email.delivery' then 'email.delivered'
  when event_name = 'email.open' then 'email.opened'
  when event_name = 'email.click' then 'email.clicked'
  when event_name = 'email.bounce' then 'email.bounced'
  when event_name ~ '^segment[.].*[.]entry$' then 'segment.entry'
  when event_name ~ '^segment[.].*[.]exit$' then 'segment.exit'
  else 'event.tracked'
end;
comment on function webhook_type is
'The type of the message about an event. What a client tracks is `event.tracked`, with the name inside: anybody may track
an event called `campaign.sent`.';

create function webhook_hears(events text[], event_names text[], type text, event_name text) returns boolean
language sql immutable parallel safe
return (type = any (events) or '*' = any (events) or split_part(type, '.', 1) || '.*' = any (events))
  and (type <> 'event.tracked' or event_names is null or event_name = any (event_names));
comment on function webhook_hears is 'Whether an endpoint wants messages of this type, and of this name if it was tracked.';

create function webhook_time(at timestamptz) returns text
language sql stable parallel safe
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
comment on function webhook_time is 'A time as messages have it: ISO 8601, in milliseconds.';

create function add_webhook_notes(what text, projects uuid[], things uuid[]) returns void
language plpgsql as $$
begin
  if projects is null then
    return;
  end if;
  -- While notes wait, their job does too, or looks again when it is done.
  if not exists (select from webhook_notes) then
    perform graphile_worker.add_job('fan_out_webhooks', run_at => clock_timestamp() + interval '250 milliseconds');
  end if;
  insert into webhook_notes (project_id, kind, ids)
  select project_id, what, array_agg(id order by id)
  from (
    select project_id, id, (row_number() over (partition by project_id order by id) - 1) / 500 as part
    from unnest(projects, things) as t (project_id, id)
  ) as parts
  group by project_id, part;
end $$;
comment on function add_webhook_notes is
'Notes what happened to these rows, of the project beside each, and has it turned into messages a quarter of a second
later: what happens until then goes along. Null arrays note nothing.';

create function note_events_for_webhooks() returns trigger
language plpgsql as $$
begin
  if exists (select from webhooks where enabled) then
    perform add_webhook_notes('event', array_agg(a.project_id), array_agg(a.id))
    from added a
    where exists (
      select
      from webhooks w
      where w.project_id = a.project_id
        and w.enabled
        and webhook_hears(w.events, w.event_names, webhook_type(a.name), a.name)
    );
  end if;
  return null;
end $$;
comment on function note_events_for_webhooks is
'Without webhooks it costs one lookup in an empty table; for a project without any, one more in an index.';

create trigger events_note_for_webhooks
after insert on events referencing new table as added
for each statement execute function note_events_for_webhooks();
comment on trigger events_note_for_webhooks on events is 'Appends to `webhook_notes`, if an endpoint wants to know.';

create function note_contacts_for_webhooks() returns trigger
language plpgsql as $$
begin
  if exists (select from webhooks where enabled) then
    perform add_webhook_notes('contact.created', array_agg(a.project_id), array_agg(a.id))
    from added a
    where exists (
      select
      from webhooks w
      where w.project_id = a.project_id and w.enabled and webhook_hears(w.events, null, 'contact.created', null)
    );
  end if;
  return null;
end $$;

create trigger contacts_note_added_for_webhooks
after insert on contacts referencing new table as added
for each statement execute function note_contacts_for_webhooks();
comment on trigger contacts_note_added_for_webhooks on contacts is
'Appends to `webhook_notes`, if an endpoint wants to know.';

create function note_contact_changes_for_webhooks() returns trigger
language plpgsql set enable_nestloop to off as $$
begin
  if exists (select from webhooks where enabled) then
    perform add_webhook_notes('contact.updated', array_agg(a.project_id), array_agg(a.id))
    from added a
    join removed r on r.project_id = a.project_id and r.id = a.id
    where (a.email, a.subscribed, a.data) is distinct from (r.email, r.subscribed, r.data)
      and a.project_id in (
        select w.project_id
        from webhooks w
        where w.enabled and webhook_hears(w.events, null, 'contact.updated', null)
      );
  end if;
  return null;
end $$;
comment on function note_contact_changes_for_webhooks is
'The plan of its join is cached, and is made when few rows have changed: a nested loop would then be kept permanently.';

create trigger contacts_note_changed_for_webhooks
after update on contacts referencing old table as removed new table as added
for each statement execute function note_contact_changes_for_webhooks();
comment on trigger contacts_note_changed_for_webhooks on contacts is
'Appends to `webhook_notes`, if an endpoint wants to know.';

create function note_executions_for_webhooks() returns trigger
language plpgsql as $$
begin
  if exists (select from webhooks where enabled) then
    perform add_webhook_notes('workflow.started', array_agg(a.project_id), array_agg(a.id))
    from added a
    where exists (
      select
      from webhooks w
      where w.project_id = a.project_id and w.enabled and webhook_hears(w.events, null, 'workflow.started', null)
    );
  end if;
  return null;
end $$;

create trigger executions_note_for_webhooks
after insert on executions referencing new table as added
for each statement execute function note_executions_for_webhooks();
comment on trigger executions_note_for_webhooks on executions is
'Appends to `webhook_notes`, if an endpoint wants to know.';

create function note_one_for_webhooks() returns trigger
language plpgsql as $$
begin
  if exists (
    select
    from webhooks w
    where w.project_id = new.project_id and w.enabled and webhook_hears(w.events, null, tg_argv[0], null)
  ) then
    perform add_webhook_notes(tg_argv[0], array[new.project_id], array[new.id]);
  end if;
  return null;
end $$;
comment on function note_one_for_webhooks is 'Notes one row, under the type that is its argument.';

create trigger executions_note_completed_for_webhooks
after update on executions for each row
when (old.completed_at is null and new.completed_at is not null and new.status in ('COMPLETED', 'EXITED'))
execute function note_one_for_webhooks('workflow.completed');
comment on trigger executions_note_completed_for_webhooks on executions is
'Row by row: most updates only move an execution, and cost the condition alone.';

create trigger executions_note_failed_for_webhooks
after update on executions for each row
when (old.completed_at is null and new.completed_at is not null and new.status = 'FAILED')
execute function note_one_for_webhooks('workflow.failed');

create trigger campaigns_note_for_webhooks
after update of status on campaigns for each row
when (old.status <> 'SENT' and new.status = 'SENT')
execute function note_one_for_webhooks('campaign.sent');

create trigger domains_note_verified_for_webhooks
after update of status on domains for each row
when (old.status <> 'VERIFIED' and new.status = 'VERIFIED')
execute function note_one_for_webhooks('domain.verified');

create trigger domains_note_failed_for_webhooks
after update of status on domains for each row
when (old.status <> 'FAILED' and new.status = 'FAILED')
execute function note_one_for_webhooks('domain.failed');

comment on function note_contacts_for_webhooks is 'Notes new contacts, if an endpoint wants to know.';
comment on function note_executions_for_webhooks is 'Notes executions that start, if an endpoint wants to know.';
comment on trigger executions_note_failed_for_webhooks on executions is 'As those that are completed.';
comment on trigger campaigns_note_for_webhooks on campaigns is 'Appends to `webhook_notes`, if an endpoint wants to know.';
comment on trigger domains_note_verified_for_webhooks on domains is
'Appends to `webhook_notes`, if an endpoint wants to know.';
comment on trigger domains_note_failed_for_webhooks on domains is
'Appends to `webhook_notes`, if an endpoint wants to know.';
