alter table domains
  add column record_findings jsonb not null default '{}' check (jsonb_typeof(record_findings) = 'object');
comment on column domains.record_findings is
'What the DNS last had for each record, and why that is not right: `{"DKIM TXT": {"found": [], "reason": "…"}}`.';
