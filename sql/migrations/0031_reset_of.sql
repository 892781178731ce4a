create function reset_of(c contacts) returns setof uuid
language sql stable parallel safe
begin atomic
  select r.project_id from resets r where r.project_id = c.project_id and is_reset(r, c);
end;

create function reset_of(e emails) returns setof uuid
language sql stable parallel safe
begin atomic
  select r.project_id from resets r where r.project_id = e.project_id and is_reset(r, e);
end;

create function reset_of(e executions) returns setof uuid
language sql stable parallel safe
begin atomic
  select r.project_id from resets r where r.project_id = e.project_id and is_reset(r, e);
end;

create function reset_of(s suppressions) returns setof uuid
language sql stable parallel safe
begin atomic
  select r.project_id from resets r where r.project_id = s.project_id and is_reset(r, s);
end;

comment on function reset_of(contacts) is
'The project of a contact that a reset is about to delete; no row for any other contact. Postgres inlines it.';
comment on function reset_of(emails) is 'The same for a mail.';
comment on function reset_of(executions) is 'The same for an execution.';
comment on function reset_of(suppressions) is 'The same for an address on a suppression list.';
