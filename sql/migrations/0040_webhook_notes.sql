create or replace function add_webhook_notes(what text, projects uuid[], things uuid[]) returns void
language plpgsql as $$
begin
  if projects is null then
    return;
  end if;
  -- While notes wait, their job does too, or looks again when it is done. The newest is looked for, by the index: in front of
  -- it are those that were taken, until a vacuum.
  if (
    select n.id from webhook_notes n where n.project_id = projects[1] order by n.id desc limit 1
  ) is null then
    perform graphile_worker.add_job('fan_out_webhooks', run_at => clock_timestamp() + interval '250 milliseconds');
  end if;
  insert into webhook_notes (project_id, kind, ids)
  select project_id, what, array_agg(id order by id)
  from (
    select project_id, id, (row_number() over (partition by project_id order by id) - 1) / 500 as part
    from unnest(projects, things) as t (project_id, id)
  ) as parts
  group by project_id, part;
end $$;

alter table webhook_notes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
