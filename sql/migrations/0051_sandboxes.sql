alter table projects
  add column sandbox_of uuid references projects (id),
  drop constraint projects_public_key_check,
  add constraint projects_public_key_check check (public_key ~ '^pk_(test_)?[0-9a-f]{48}$'),
  add constraint projects_sandbox_key check ((sandbox_of is not null) = starts_with(public_key, 'pk_test_')),
  add constraint projects_sandbox_id check ((sandbox_of is not null) = (substring(id::text, 15, 1) = '8'));
comment on column projects.sandbox_of is
'Set for a sandbox: the project whose test keys open it. Its mails never leave, and it has everything else of its own. Its id is
that of the project with version 8 in place of 7, so that whatever is on the way of a mail knows it without looking it up, and
there is one at most.';

create unique index projects_sandboxes on projects (sandbox_of) where sandbox_of is not null;
comment on index projects_sandboxes is 'Serves `projects.of_user`, `projects.details` and `removals.sandbox`, and the triggers.';

create function update_sandbox() returns trigger
language plpgsql
as $$
begin
  update projects
  set
    name                = new.name,
    tracking            = new.tracking,
    language            = new.language,
    timezone            = new.timezone,
    postal_address      = new.postal_address,
    requires_two_factor = new.requires_two_factor,
    disabled_at         = new.disabled_at,
    disabled_reason     = new.disabled_reason,
    updated_at          = new.updated_at
  where sandbox_of = new.id and deleted_at is null;
  return null;
end $$;
comment on function update_sandbox() is
'Gives a sandbox the settings of its project. They are not its own, so that a test shows what live mail looks like, and what is
closed for the project is closed for its test keys.';

create trigger projects_update_sandbox
after update of
  name, tracking, language, timezone, postal_address, requires_two_factor, disabled_at, disabled_reason
on projects
for each row
when (
  new.sandbox_of is null
  and (
    old.name, old.tracking, old.language, old.timezone, old.postal_address, old.requires_two_factor, old.disabled_at,
    old.disabled_reason
  ) is distinct from (
    new.name, new.tracking, new.language, new.timezone, new.postal_address, new.requires_two_factor, new.disabled_at,
    new.disabled_reason
  )
)
execute function update_sandbox();
comment on trigger projects_update_sandbox on projects is 'A sandbox has the settings of its project.';
