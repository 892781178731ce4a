-- name: insert_many :exec
-- nullable: rows.id, rows.contact_id, rows.email_id
-- Records events. `rows` holds `{project_id, id, contact_id?, email_id?, name, data}`.
insert into events (project_id, id, contact_id, email_id, name, data, created_at)
select r.project_id, r.id, r.contact_id, r.email_id, r.name, r.data, :now
from json_to_recordset(:rows::json) as r (
  project_id uuid, id uuid, contact_id uuid, email_id uuid, name text, data jsonb
);
