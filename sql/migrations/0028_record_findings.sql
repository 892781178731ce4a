alter table domains
  add column record_findings jsonb not null default '{}' check (jsonb_typeof(record_findings) = 'object');
comment on column domains.record_findings is
'What the DNS last returned for each record, and why it is not correct: `{"DKIM TXT": {"found": [], "reason": "…"}}`.';
