-- Every standard field that an import sets can be undone.
alter table contact_import_changes
  alter column subscribed_before type jsonb using jsonb_build_object('subscribed', subscribed_before),
  alter column subscribed_after type jsonb using jsonb_build_object('subscribed', subscribed_after);
alter table contact_import_changes rename column subscribed_before to given_before;
alter table contact_import_changes rename column subscribed_after to given_after;
comment on column contact_import_changes.given_before is
'The standard fields that the file sets, by their columns, as they were before.';
comment on column contact_import_changes.given_after is 'The same fields as the file sets them.';
