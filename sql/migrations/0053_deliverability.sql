create table delivery_hours (
  project_id     uuid not null references projects on delete cascade,
  hour           timestamptz not null,
  sender_domain  text not null,
  provider       text not null,
  transport_id   uuid not null,
  accepted_times int[] not null check (cardinality(accepted_times) = 12),
  deferred       int not null,
  bounced        int not null,
  refused        int not null,
  returned       int not null,
  complained     int not null,
  encrypted      int not null,
  unencrypted    int not null,
  primary key (project_id, hour, sender_domain, provider, transport_id)
);
comment on table delivery_hours is
'How the attempts to hand mails over ended in each hour, and what came back, by sender domain, mailbox provider and transport.
What comes back counts in the hour in which it does: that is when somebody has to be told. Kept for 90 days.';
comment on column delivery_hours.provider is 'One of `src/mail/mailbox_provider.ts`, or `other`.';
comment on column delivery_hours.transport_id is
'All zeros: the mail server of the settings. No foreign key: figures outlast transports.';
comment on column delivery_hours.accepted_times is
'Mails that were accepted, by the time since their first attempt: within 0.25, 0.5, 1, 2, 5 and 15 seconds, 1, 5 and 30
minutes, 2 and 12 hours, and later.';
comment on column delivery_hours.deferred is 'Attempts that were put off, and delays that were reported. A mail can be deferred many times.';
comment on column delivery_hours.bounced is 'Refused for good at the handover, because of the recipient.';
comment on column delivery_hours.refused is 'Refused for good at the handover, for another reason, or deferred until it was given up.';
comment on column delivery_hours.returned is 'Mails that were accepted and bounced later.';
comment on column delivery_hours.encrypted is
'Mails that were accepted over TLS by the server of their recipient. Of mails that a relay delivers nobody knows.';

create index delivery_hours_by_hour on delivery_hours (hour);
comment on index delivery_hours_by_hour is 'Serves `deliverability_alerts.judge` and `deliverability.drop_old`, which look at all projects.';

create table delivery_hour_deltas (like delivery_hours);
comment on table delivery_hour_deltas is
'What has been counted since the last roll-up: a row for each kind of attempt in a pass of delivery. Append-only.';
create index delivery_hour_deltas_by_project on delivery_hour_deltas (project_id);
comment on index delivery_hour_deltas_by_project is 'Serves `delivery_hours_of` and the removal of a project.';
alter table delivery_hour_deltas set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create function add_times(a int[], b int[]) returns int[]
language plpgsql immutable parallel safe as $$
begin
  return array[
    a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6],
    a[7] + b[7], a[8] + b[8], a[9] + b[9], a[10] + b[10], a[11] + b[11], a[12] + b[12]
  ];
end $$;
comment on function add_times is 'Adds two `accepted_times`. In PL/pgSQL, which keeps its plan: an aggregate calls it for every row.';

create aggregate sum_of_times(int[]) (
  sfunc = add_times, stype = int[], combinefunc = add_times, parallel = safe, initcond = '{0,0,0,0,0,0,0,0,0,0,0,0}'
);

comment on aggregate sum_of_times(int[]) is 'The sum of `accepted_times`, place by place; zeros where there are none.';

create function delivery_hours_of(project uuid, since timestamptz, until timestamptz) returns setof delivery_hours
language sql stable parallel safe as $$
  select * from delivery_hours where project_id = project and hour >= since and hour < until
  union all
  select * from delivery_hour_deltas where project_id = project and hour >= since and hour < until
$$;
comment on function delivery_hours_of is 'The figures of a project from one moment until before another, up to date.';

create table deliverability_alerts (
  project_id    uuid not null references projects on delete cascade,
  id            uuid not null default uuid_v7(),
  kind          text not null check (kind in ('BOUNCES', 'COMPLAINTS', 'DEFERRALS')),
  sender_domain text not null,
  provider      text not null,
  count         int not null,
  total         int not null,
  opened_at     timestamptz not null,
  bad_at        timestamptz not null,
  told_at       timestamptz,
  closed_at     timestamptz,
  primary key (project_id, id)
);
comment on table deliverability_alerts is
'A rate of a sender domain that is above its level, at a mailbox provider or at all of them. One that has been well below it
for an hour is closed.';
comment on column deliverability_alerts.provider is 'Empty: at all of them together.';
comment on column deliverability_alerts.count is 'Of `total`, when the rate was last above its level.';
comment on column deliverability_alerts.bad_at is 'When the rate was last above four fifths of its level.';
comment on column deliverability_alerts.told_at is 'When its owners and admins were sent a mail.';

create unique index deliverability_alerts_open on deliverability_alerts (project_id, kind, sender_domain, provider)
where closed_at is null;
comment on index deliverability_alerts_open is 'One alert at a time for each rate; serves `deliverability_alerts.judge`.';

create trigger deliverability_alerts_note_opened_for_webhooks
after insert on deliverability_alerts for each row
execute function note_one_for_webhooks('deliverability.alert_opened');
comment on trigger deliverability_alerts_note_opened_for_webhooks on deliverability_alerts is
'Appends to `webhook_notes`, if an endpoint wants to know.';

create trigger deliverability_alerts_note_closed_for_webhooks
after update of closed_at on deliverability_alerts for each row
when (old.closed_at is null and new.closed_at is not null)
execute function note_one_for_webhooks('deliverability.alert_closed');
comment on trigger deliverability_alerts_note_closed_for_webhooks on deliverability_alerts is
'Appends to `webhook_notes`, if an endpoint wants to know.';
