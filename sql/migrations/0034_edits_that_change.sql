create or replace function note_edit() returns trigger
language plpgsql as $$
begin
  if new.updated_at is distinct from old.updated_at then
    new.edited_at := clock_timestamp();
    new.edited_by := nullif(current_setting('postrider.editor', true), '');
  end if;
  return new;
end $$;
comment on function note_edit is
'Notes when something that people edit was edited, and by whom: `postrider.editor` of the transaction, set by
`edits.act_as`. Writing the same values again is not an edit, and leaves the time as it was.';
