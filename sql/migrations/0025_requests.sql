create table requests (
  project_id uuid not null,
  id         uuid not null,
  given_id   uuid,
  method     text not null,
  route      text not null,
  path       text not null,
  status     smallint not null,
  ms         real not null,
  code       text,
  message    text,
  errors     jsonb,
  key_kind   text check (key_kind in ('secret', 'public')),
  key_id     uuid,
  key_name   text,
  key_hint   text,
  user_id    uuid,
  user_agent text,
  body       text,
  mentions   bigint[],
  left_out   int not null default 0,
  primary key (project_id, id)
);

comment on table requests is
'The requests that were made for a project, for 7 days. Rows are only added, and written in batches after the answers. No
foreign key, which would be checked row by row: `requests.add` looks whether the project is there.';
comment on column requests.id is 'Its time is when the request came. It is the `X-Request-Id` too, unless the caller chose one.';
comment on column requests.given_id is 'The `X-Request-Id` that the caller chose.';
comment on column requests.path is 'With the query, and without secrets.';
comment on column requests.errors is 'What was wrong with which field.';
comment on column requests.key_kind is 'Null for a session.';
comment on column requests.key_id is 'Of a key beside the pair. Its name and its end stay when it is revoked.';
comment on column requests.body is 'Of a refused request: up to 4 KB, without secrets.';
comment on column requests.mentions is
'Hashes of the addresses in this row, so that it is found when a contact is deleted; null for none.';
comment on column requests.left_out is
'How many requests of the project the same process had since its previous row, and did not write down.';

create index requests_refused on requests (project_id, id) where status >= 400;
comment on index requests_refused is 'Serves `requests.refused` and `requests.edge_of_refused`.';

create index requests_given on requests (project_id, given_id) where given_id is not null;
comment on index requests_given is 'Serves `requests.by_id`.';

create index requests_mentions on requests using gin (mentions) where mentions is not null;
comment on index requests_mentions is 'Serves `contact_deletion.part_with_requests`.';

create function mention_of(project uuid, address text) returns bigint
language sql immutable parallel safe
return hashtextextended(project::text || ' ' || address, 0);
comment on function mention_of is 'What stands for an address in `mentions`: another value in every project.';
