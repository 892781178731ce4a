-- Each of a million changes of an import looked its import up, which is a tenth of what an import asks of Postgres. The transaction
-- that writes them holds the import: it is there. A trigger deletes them with it.
alter table contact_import_changes drop constraint contact_import_changes_project_id_import_id_fkey;

create function drop_changes_of_imports() returns trigger
language plpgsql
as $$
begin
  delete from contact_import_changes h
  using removed r
  where h.project_id = r.project_id and h.import_id = r.id;
  return null;
end $$;
comment on function drop_changes_of_imports is
'What imports did is forgotten with them. In place of a foreign key, which is checked row by row.';

create trigger contact_imports_drop_changes
after delete on contact_imports
referencing old table as removed
for each statement execute function drop_changes_of_imports();
comment on trigger contact_imports_drop_changes on contact_imports is 'Deletes from `contact_import_changes`.';
