alter table projects add column link_keys bytea;
comment on column projects.link_keys is
'What signed the links of its mails in other installations; encrypted. Null: it has always been here.';

create index projects_with_link_keys on projects (id) where link_keys is not null;
comment on index projects_with_link_keys is
'Serves `project_moves.link_keys`.';

create table project_moves (
  project_id  uuid primary key references projects on delete cascade,
  export_id   uuid not null,
  lines_done  bigint not null check (lines_done >= 0),
  started_at  timestamptz not null,
  finished_at timestamptz
);
comment on table project_moves is
'Projects that were imported from another installation. Until one is complete it is disabled, and nothing is done with it.';
comment on column project_moves.export_id is
'The export that it comes from: only the same one continues it.';
comment on column project_moves.lines_done is
'How many lines of the file are committed.';

create function is_moving_in(project uuid) returns boolean
language sql stable parallel safe
return exists (select from project_moves m where m.project_id = project and m.finished_at is null);
comment on function is_moving_in is
'Whether the import of a project is not complete yet: its segments have only some of their members.';

create function open_moved_rows(source text, project uuid) returns void
language plpgsql as $$
declare
  moved_rows refcursor := 'moved_rows';
  key text;
begin
  select string_agg(format('r.%I', a.attname), ', ' order by k.place)
  into key
  from pg_index i
  cross join lateral unnest(i.indkey) with ordinality as k (attnum, place)
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
  where i.indrelid = to_regclass(quote_ident(source)) and i.indisprimary;
  open moved_rows no scroll for execute format(
    'select to_jsonb(r)::text from %I r where r.%I = $1 order by %s',
    source, case source when 'projects' then 'id' else 'project_id' end, coalesce(key, 'to_jsonb(r)::text')
  ) using project;
end $$;
comment on function open_moved_rows is
'Opens a cursor for the rest of the transaction: the rows of a project in a table, in the order of its primary key; in a
table without one in that of their text.';

create function next_moved_rows(bytes int) returns setof text
language plpgsql as $$
declare
  moved_rows refcursor := 'moved_rows';
  line text;
  total int := 0;
  number int := 0;
begin
  loop
    fetch moved_rows into line;
    exit when not found;
    return next line;
    number := number + 1;
    total := total + octet_length(line);
    exit when total >= bytes;
  end loop;
  if number = 0 then
    close moved_rows;
  end if;
end $$;
comment on function next_moved_rows is
'The next rows of `open_moved_rows` as JSON, until they have that many bytes. None: that was all, and the cursor is closed.';

create function put_moved_rows(target text, rows jsonb) returns int
language plpgsql as $$
declare
  columns text;
  unknown text;
  number int;
begin
  select
    string_agg(quote_ident(g.name), ', ') filter (where a.attgenerated = ''),
    string_agg(g.name, ', ') filter (where a.attname is null)
  into columns, unknown
  from jsonb_object_keys(rows -> 0) as g (name)
  left join pg_attribute a
    on a.attrelid = to_regclass(quote_ident(target)) and a.attname = g.name and a.attnum > 0 and not a.attisdropped;
  if unknown is not null then
    raise exception 'Cannot put rows into %: it has no %', target, unknown;
  end if;
  execute format(
    'insert into %1$I (%2$s) select %2$s from jsonb_populate_recordset(null::%1$I, $1)', target, columns
  ) using rows;
  get diagnostics number = row_count;
  return number;
end $$;
comment on function put_moved_rows is
'Inserts rows as `next_moved_rows` returns them, and returns how many. All have the same keys. Columns that they do not have
get their defaults.';
