-- Serves `removals.without_job`: hardly any project is on its way out.
create index projects_deleted on projects (id) where deleted_at is not null;

-- Projects that are being reset. What has an id up to the one here goes, and nothing that it leads to is sent any more:
-- it was there when the reset was asked for. Null where there was nothing. Ids are ordered by time, so what is made
-- later stays.
create table resets (
  project_id      uuid primary key references projects on delete cascade,
  asked_at        timestamptz not null,
  contacts        uuid,
  events          uuid,
  templates       uuid,
  contents        uuid,
  emails          uuid,
  segments        uuid,
  contact_imports uuid,
  bulk_jobs       uuid,
  campaigns       uuid,
  suppressions    uuid,
  workflows       uuid,
  executions      uuid
);

-- The advisory lock between a reset and those who start workflows: so that nothing is begun which the reset has not seen.
create function starts_of_workflows(project uuid) returns bigint
language sql immutable parallel safe
return hashtextextended('starts of workflows ' || project::text, 0);

-- Deletes some rows of a project from a table, whatever its key is, and answers how many: for tables of which a project
-- has few rows, or which are empty already when this comes to them.
create function remove_project_rows(project uuid, from_table text, max_rows int) returns int
language plpgsql as $$
declare
  removed int;
begin
  execute format(
    'delete from %1$I where ctid = any (array(select ctid from %1$I where project_id = $1 limit $2))', from_table
  ) using project, max_rows;
  get diagnostics removed = row_count;
  return removed;
end $$;
