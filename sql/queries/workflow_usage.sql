-- name: of_template :many
-- The steps that send a template.
select s.id, s.name, s.workflow_id, w.name as workflow_name
from workflow_steps s
join workflows w on w.project_id = s.project_id and w.id = s.workflow_id
where s.project_id = :project_id and s.template_id = :template_id
order by w.name, s.workflow_id, s.created_at, s.id;

-- name: of_contact_field :many
-- The workflows, enabled or not, that name a field of contacts, or a path below it: in a condition, as the time of a
-- delay, among the updates, or in an expression of a text, which is what `pattern` finds; the templates of their mails
-- are such texts, too. `word` is a part of the key: texts without it, nearly all, are not looked through.
select w.id, w.name
from workflows w
where w.project_id = :project_id
  and exists (
    select
    from workflow_steps s
    left join templates t on t.project_id = s.project_id and t.id = s.template_id
    cross join lateral (
      select case s.type
        when 'DELAY' then array[s.config ->> 'until']
        when 'CONDITION' then array(
          select f.field #>> '{}'
          from jsonb_path_query(s.config, '$.**.field ? (@.type() == "string")') as f (field)
        )
      end as fields,
      case
        when s.type = 'SEND_EMAIL' then array[t.subject, t.body, s.config #>> '{recipient,customEmail}']
        when s.type in ('WEBHOOK', 'UPDATE_CONTACT') then array(
          select v.text #>> '{}'
          from jsonb_path_query(s.config, '$.** ? (@.type() == "string")') as v (text)
        )
      end as texts
    ) as named
    where s.project_id = w.project_id
      and s.workflow_id = w.id
      and (
        s.type = 'UPDATE_CONTACT' and s.config -> 'updates' ? :key::text
        or exists (
          select
          from unnest(named.fields) as f (field)
          where regexp_replace(f.field, '^contact[.]', '') = :field::text
            or starts_with(regexp_replace(f.field, '^contact[.]', ''), :field::text || '.')
        )
        or exists (
          select
          from unnest(named.texts) as v (text)
          where strpos(v.text, :word::text) > 0 and v.text ~ :pattern::text
        )
      )
  )
order by w.name, w.id;
