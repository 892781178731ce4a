-- name: of_template :many
-- The steps that send a template.
select s.id, s.name, s.workflow_id, w.name as workflow_name
from workflow_steps s
join workflows w on w.project_id = s.project_id and w.id = s.workflow_id
where s.project_id = :project_id and s.template_id = :template_id
order by w.name, s.workflow_id, s.created_at, s.id;

-- name: of_contact_field :many
-- The workflows, enabled or not, that name a field of contacts, or a path below it, anywhere in a step of any type: as a
-- whole string, such as the field of a condition or the time of a delay; as a key of `updates`; or in an expression,
-- which is what `pattern` finds, including in the templates of their mails. `word` is a part of the key: strings without
-- it, nearly all, are not searched.
select w.id, w.name
from workflows w
where w.project_id = :project_id
  and exists (
    select
    from workflow_steps s
    left join templates t on t.project_id = s.project_id and t.id = s.template_id
    where s.project_id = w.project_id
      and s.workflow_id = w.id
      and (
        s.config -> 'updates' ? :key::text
        or strpos(t.subject, :word::text) > 0 and t.subject ~ :pattern::text
        or strpos(t.body, :word) > 0 and t.body ~ :pattern
        or exists (
          select
          from jsonb_path_query(s.config, '$.** ? (@.type() == "string")') as v (value)
          cross join lateral (select v.value #>> '{}' as text) as written
          cross join lateral (select regexp_replace(written.text, '^contact[.]', '') as field) as named
          where strpos(written.text, :word) > 0
            and (
              named.field = :field::text
              or starts_with(named.field, :field || '.')
              or written.text ~ :pattern
            )
        )
      )
  )
order by w.name, w.id;
