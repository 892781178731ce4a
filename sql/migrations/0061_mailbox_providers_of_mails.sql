alter table emails add column mailbox_provider text;
comment on column emails.mailbox_provider is
'Who keeps the mailbox, where the recipient''s own server has taken the mail and its address does not say it, as of a company at
Google: one of `src/mail/mailbox_provider.ts`. What comes back later counts there, where the mail was counted. Null: as the
address says.';
