create table paces (
  transport_id uuid not null,
  provider text not null,
  rate numeric not null,
  reason text not null,
  slowed_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (transport_id, provider),
  constraint paces_rate check (rate > 0)
);
comment on table paces is
'How fast mails may go where somebody has asked us to slow down, for all processes: halved each time, and a tenth faster every
few seconds while nobody does. A pace that nobody has slowed for an hour is gone.';
comment on column paces.transport_id is
'All zeros: the mail server of the settings. No foreign key: a pace ends by itself.';
comment on column paces.provider is
'The mailbox provider for a transport that delivers directly. `*`: all mails of a transport, whose provider has asked.';
comment on column paces.rate is 'Mails a second.';
