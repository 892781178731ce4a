-- What a step type is stands in `src/automation/steps/`: a new one needs no migration.
alter table workflow_steps alter column type type text;
drop type step_type;

-- Which segments and events the steps of workflows name, written whenever a step is saved; the references of a trigger
-- are those of its workflow. Templates have a column of their own.
create table workflow_references (
  project_id  uuid not null,
  kind        text not null check (kind in ('SEGMENT', 'EVENT')),
  -- The id of a segment, or the name of an event.
  name        text not null check (length(name) <= 255),
  step_id     uuid not null,
  workflow_id uuid not null,
  primary key (project_id, kind, name, step_id),
  foreign key (project_id, step_id) references workflow_steps (project_id, id) on delete cascade
);

-- Serves the saving and the deletion of a step.
create index workflow_references_by_step on workflow_references (project_id, step_id);

insert into workflow_references (project_id, kind, name, step_id, workflow_id)
select distinct s.project_id, r.kind, r.name, s.id, s.workflow_id
from workflow_steps s
join workflows w on w.project_id = s.project_id and w.id = s.workflow_id
cross join lateral (
  select 'EVENT' as kind, w.event_name as name
  where s.type = 'TRIGGER' and w.trigger_type = 'EVENT'
  union all
  select 'SEGMENT', lower(w.trigger_config ->> 'segmentId')
  where s.type = 'TRIGGER' and w.trigger_type = 'SCHEDULE'
  union all
  select 'EVENT', trim(s.config ->> 'eventName')
  where s.type = 'WAIT_FOR_EVENT'
  union all
  select case when n.field ~ '^segment[.]' and n.field !~ '[.](entry|exit)$' then 'SEGMENT' else 'EVENT' end, case
    when n.field like 'event.%' then substr(n.field, 7)
    when n.field ~ '^segment[.]' and n.field !~ '[.](entry|exit)$' then lower(substr(n.field, 9))
    when n.field like 'email.%' then 'email.' || case substr(n.field, 7)
      when 'delivered' then 'delivery'
      when 'opened' then 'open'
      when 'clicked' then 'click'
      when 'bounced' then 'bounce'
      when 'complained' then 'complaint'
      else substr(n.field, 7)
    end
    else n.field
  end
  from jsonb_path_query(s.config, '$.**.field ? (@.type() == "string")') as f (field)
  cross join lateral (select f.field #>> '{}' as field) as n
  where s.type = 'CONDITION'
    and n.field !~ '^((contact[.])?(email|subscribed|createdAt|updatedAt)$|(contact[.])?data[.])'
    and (
      s.config ? 'condition'
      or n.field like 'segment.%'
      or concat(s.config ->> 'operator', s.config #>> '{branches,0,operator}') ~* 'triggered'
    )
) as r
where r.name <> '' and length(r.name) <= 255;
