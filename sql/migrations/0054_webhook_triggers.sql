create index webhooks_listening on webhooks (project_id) where enabled;
comment on index webhooks_listening is 'Serves the triggers that note what happened: whether anybody wants to know, and in this project.';

create or replace function note_events_for_webhooks() returns trigger
language plpgsql as $$
declare
  is_first boolean;
begin
  if not exists (select from webhooks where enabled) then
    return null;
  end if;
  with noted as (
    insert into webhook_notes (project_id, kind, ids)
    select h.project_id, 'event', h.ids[s.first:s.first + 499]
    from (
      select a.project_id, array_agg(a.id) as ids
      from added a
      where (a.project_id, a.name) in (
        select n.project_id, n.name
        from (select distinct project_id, name from added) as n
        where exists (
          select
          from webhooks w
          where w.project_id = n.project_id
            and w.enabled
            and webhook_hears(w.events, w.event_names, webhook_type(n.name), n.name)
        )
      )
      group by a.project_id
    ) as h
    cross join lateral generate_series(1, cardinality(h.ids), 500) as s (first)
    returning project_id
  )
  select bool_or((
    select n.id from webhook_notes n where n.project_id = noted.project_id order by n.id desc limit 1
  ) is null)
  into is_first
  from noted;
  if is_first then
    perform graphile_worker.add_job('fan_out_webhooks', run_at => clock_timestamp() + interval '250 milliseconds');
  end if;
  return null;
end $$;
comment on function note_events_for_webhooks is
'Notes events in one statement: whether an endpoint wants them is asked once for each name, and not for each event. Without
webhooks it costs one lookup in an empty index.';

create or replace function note_contacts_for_webhooks() returns trigger
language plpgsql as $$
begin
  if exists (select from webhooks where enabled and events && '{*, contact.*, contact.created}') then
    perform add_webhook_notes('contact.created', array_agg(a.project_id), array_agg(a.id))
    from added a
    where a.project_id in (
      select w.project_id from webhooks w where w.enabled and w.events && '{*, contact.*, contact.created}'
    )
    having count(*) > 0;
  end if;
  return null;
end $$;

create or replace function note_contact_changes_for_webhooks() returns trigger
language plpgsql set enable_nestloop to off as $$
begin
  if exists (select from webhooks where enabled and events && '{*, contact.*, contact.updated}') then
    perform add_webhook_notes('contact.updated', array_agg(a.project_id), array_agg(a.id))
    from added a
    join removed r on r.project_id = a.project_id and r.id = a.id
    where (a.email, a.subscribed, a.data) is distinct from (r.email, r.subscribed, r.data)
      and a.project_id in (
        select w.project_id from webhooks w where w.enabled and w.events && '{*, contact.*, contact.updated}'
      )
    having count(*) > 0;
  end if;
  return null;
end $$;

create or replace function note_executions_for_webhooks() returns trigger
language plpgsql as $$
begin
  if exists (select from webhooks where enabled and events && '{*, workflow.*, workflow.started}') then
    perform add_webhook_notes('workflow.started', array_agg(a.project_id), array_agg(a.id))
    from added a
    where a.project_id in (
      select w.project_id from webhooks w where w.enabled and w.events && '{*, workflow.*, workflow.started}'
    )
    having count(*) > 0;
  end if;
  return null;
end $$;
