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
'Notes when something that people edit was edited, and by whom: by `postrider.editor` of the transaction
(`edits.act_as`). What was written again as it was has the time that it had, and was not edited.';
