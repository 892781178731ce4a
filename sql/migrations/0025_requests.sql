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
'The requests that were made for a project, kept for 7 days. Rows are only added, in batches, after the responses were
sent. No foreign key, which would be checked row by row: `requests.add` checks whether the project exists.';
comment on column requests.id is
'Contains the time at which the request arrived. Also the `X-Request-Id`, unless the caller chose one.';
comment on column requests.given_id is 'The `X-Request-Id` that the caller chose.';
comment on column requests.path is 'Includes the query, without secrets.';
comment on column requests.errors is 'Which fields were invalid, and why.';
comment on column requests.key_kind is 'Null for a session.';
comment on column requests.key_id is
'Set for a key outside the pair. Its name and last characters stay when it is revoked.';
comment on column requests.body is 'Set for a refused request: up to 4 KB, without secrets.';
comment on column requests.mentions is
'Hashes of the addresses in this row, so that it is found when a contact is deleted; null if there are none.';
comment on column requests.left_out is
'How many requests of the project the same process has received since its previous row but did not log.';

create index requests_refused on requests (project_id, id) where status >= 400;
comment on index requests_refused is 'Serves `requests.refused` and `requests.edge_of_refused`.';

create index requests_given on requests (project_id, given_id) where given_id is not null;
comment on index requests_given is 'Serves `requests.by_id`.';

create index requests_mentions on requests using gin (mentions) where mentions is not null;
comment on index requests_mentions is 'Serves `contact_deletion.part_with_requests`.';

create function mention_of(project uuid, address text) returns bigint
language sql immutable parallel safe
return hashtextextended(project::text || ' ' || address, 0);
comment on function mention_of is 'The hash of an address in `mentions`: a different value in every project.';
