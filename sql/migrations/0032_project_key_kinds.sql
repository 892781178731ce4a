-- A database may have it under the number 0023, which two migrations had.
do $$
begin
  if exists (
    select from pg_attribute where attrelid = 'project_keys'::regclass and attname = 'is_public'
  ) then
    return;
  end if;
  alter table project_keys add column is_public boolean not null default false;
  update project_keys set is_public = true where scopes = '{track}';
  alter table project_keys
    alter column is_public drop default,
    add constraint project_keys_public_track check (not is_public or scopes = '{track}');
end
$$;

comment on column project_keys.is_public is
'Whether it begins with `pk_` and may be part of a public page: then it may only track, whatever its scopes are.';
comment on column project_keys.last_used_at is
'To the minute; includes requests that were refused for lack of a scope. Requests do not wait for it to be written.';
