-- Keys may also be allowed to change content, without sending, enabling or deleting anything.
alter table project_keys
  drop constraint project_keys_scopes_check,
  add constraint project_keys_scopes_check
  check (cardinality(scopes) >= 1 and scopes <@ '{send,track,read,write,all}');
