-- What others have sent us and may send again, remembered so that it counts once: the id by which its sender knows it.
create table webhook_receipts (
  source      text not null,
  id          text not null,
  received_at timestamptz not null,
  primary key (source, id)
);

-- Serves `webhook_receipts.purge`.
create index webhook_receipts_by_time on webhook_receipts (received_at);

-- Serves `feedback.hold_mails` where a notice knows a mail only by the provider's id.
create index emails_by_provider_id on emails (provider_id) where provider_id is not null;

-- Serves `received_mails.receivers`.
create index domains_verified on domains (domain) where status = 'VERIFIED';
