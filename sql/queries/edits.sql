-- name: act_as :exec
-- Who edits in this transaction.
select set_config('postrider.editor', :editor, true);

-- name: last :maybe
-- Who last edited a thing, and when.
select l.edited_by, l.edited_at as "edited_at!"
from (
  select 'template' as kind, project_id, id, edited_by, edited_at from templates
  union all
  select 'campaign', project_id, id, edited_by, edited_at from campaigns
  union all
  select 'segment', project_id, id, edited_by, edited_at from segments
  union all
  select 'workflow', project_id, id, edited_by, edited_at from workflows
) as l
where l.kind = :kind and l.project_id = :project_id and l.id = :id;
