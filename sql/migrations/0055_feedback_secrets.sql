alter table transports add column feedback_provider text;
alter table transports add column feedback_secret bytea;
alter table transports add constraint transports_feedback
  check ((feedback_provider is null) = (feedback_secret is null) and (feedback_secret is null or url is not null));
comment on column transports.feedback_provider is
'Whose webhooks `feedback_secret` proves: the provider behind `url` when it was given.';
comment on column transports.feedback_secret is 'Sealed.';
