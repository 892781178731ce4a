alter table campaigns add column processed_count int not null default 0;
comment on column campaigns.processed_count is
'How many of its mails are neither PENDING nor SENDING: the progress of a campaign that is being sent.';

-- Only open mails are read, each state through its own index.
with open as (
  select campaign_id, count(*)::int as mails
  from (
    select campaign_id from emails where status = 'PENDING' and campaign_id is not null
    union all
    select campaign_id from emails where status = 'SENDING' and campaign_id is not null
  ) as e
  group by campaign_id
)
update campaigns c
set processed_count = greatest(0, c.snapshot_count - coalesce((select mails from open where campaign_id = c.id), 0))
where c.snapshot_count > 0;

alter table campaign_count_deltas add column processed int not null default 0;

drop function campaign_deltas;
create function campaign_deltas(
  project uuid, campaign uuid,
  out sent int, out delivered int, out opened int, out clicked int, out bounced int, out complained int,
  out unsubscribed int, out failed int, out captured int, out processed int
)
language sql stable parallel safe
return (
  select row(
    coalesce(sum(d.sent), 0)::int, coalesce(sum(d.delivered), 0)::int, coalesce(sum(d.opened), 0)::int,
    coalesce(sum(d.clicked), 0)::int, coalesce(sum(d.bounced), 0)::int, coalesce(sum(d.complained), 0)::int,
    coalesce(sum(d.unsubscribed), 0)::int, coalesce(sum(d.failed), 0)::int, coalesce(sum(d.captured), 0)::int,
    coalesce(sum(d.processed), 0)::int
  )
  from campaign_count_deltas d
  where d.project_id = project and d.campaign_id = campaign
);
comment on function campaign_deltas is 'The sum of the deltas of one campaign.';

create or replace function count_emails() returns trigger
language plpgsql set enable_nestloop to off as $$
begin
  with changed as materialized (
    select
      a.project_id, a.source_type, a.campaign_id,
      (a.status = 'FAILED')::int - (r.status = 'FAILED')::int as failed,
      (a.captured_at is not null)::int - (r.captured_at is not null)::int as captured,
      (r.status in ('PENDING', 'SENDING'))::int - (a.status in ('PENDING', 'SENDING'))::int as processed,
      array[
        quarter_of(r.sent_at), quarter_of(r.delivered_at), quarter_of(r.opened_at), quarter_of(r.clicked_at),
        quarter_of(r.bounced_at), quarter_of(r.complained_at), quarter_of(r.unsubscribed_at),
        quarter_of(r.bot_opened_at)
      ] as before,
      array[
        quarter_of(a.sent_at), quarter_of(a.delivered_at), quarter_of(a.opened_at), quarter_of(a.clicked_at),
        quarter_of(a.bounced_at), quarter_of(a.complained_at), quarter_of(a.unsubscribed_at),
        quarter_of(a.bot_opened_at)
      ] as after,
      count(*) as mails
    from added a
    join removed r on r.project_id = a.project_id and r.id = a.id
    where (
      a.status = 'FAILED', a.status in ('PENDING', 'SENDING'), a.captured_at is not null, a.sent_at,
      a.delivered_at, a.opened_at, a.clicked_at, a.bounced_at, a.complained_at, a.unsubscribed_at, a.bot_opened_at
    ) is distinct from (
      r.status = 'FAILED', r.status in ('PENDING', 'SENDING'), r.captured_at is not null, r.sent_at,
      r.delivered_at, r.opened_at, r.clicked_at, r.bounced_at, r.complained_at, r.unsubscribed_at, r.bot_opened_at
    )
    group by a.project_id, a.source_type, a.campaign_id, failed, captured, processed, before, after
  ),
  counted as (
    select
      project_id,
      campaign_id,
      sum(
        mails * (
          (coalesce(after[1], after[5], after[6]) is not null)::int
            - (coalesce(before[1], before[5], before[6]) is not null)::int
        )
      ) as handed_over,
      sum(mails * ((after[1] is not null)::int - (before[1] is not null)::int)) as sent,
      sum(mails * ((after[2] is not null)::int - (before[2] is not null)::int)) as delivered,
      sum(mails * ((after[3] is not null)::int - (before[3] is not null)::int)) as opened,
      sum(mails * ((after[4] is not null)::int - (before[4] is not null)::int)) as clicked,
      sum(mails * ((after[5] is not null)::int - (before[5] is not null)::int)) as bounced,
      sum(mails * ((after[6] is not null)::int - (before[6] is not null)::int)) as complained,
      sum(mails * ((after[7] is not null)::int - (before[7] is not null)::int)) as unsubscribed,
      sum(mails * failed) as failed,
      sum(mails * captured) as captured,
      sum(mails * processed) as processed
    from changed
    group by project_id, campaign_id
  ),
  for_reputation as (
    insert into reputation_deltas (project_id, day, total, bounces, complaints)
    select project_id, (now() at time zone 'UTC')::date, handed_over, bounced, complained
    from counted
    where (handed_over, bounced, complained) <> (0, 0, 0)
  ),
  for_campaigns as (
    insert into campaign_count_deltas (
      project_id, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed, failed, captured,
      processed
    )
    select
      project_id, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed, failed, captured,
      processed
    from counted
    where campaign_id is not null
      and (sent, delivered, opened, clicked, bounced, complained, unsubscribed, failed, captured, processed)
        <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
  ),
  times as (
    select
      project_id, source_type, campaign_id, mails, generate_series(1, 8) as measure, unnest(before) as before,
      unnest(after) as after
    from changed
  ),
  moved as (
    select project_id, source_type, campaign_id, measure, mails as n, after as at
    from times
    where after is not null and after is distinct from before
    union all
    select project_id, source_type, campaign_id, measure, -mails, before
    from times
    where before is not null and after is distinct from before
  )
  insert into mail_count_deltas (
    project_id, at, source_type, campaign_id, sent, delivered, opened, clicked, bounced, complained, unsubscribed,
    bot_opened
  )
  select
    project_id,
    at,
    source_type,
    coalesce(campaign_id, '00000000-0000-0000-0000-000000000000'),
    coalesce(sum(n) filter (where measure = 1), 0),
    coalesce(sum(n) filter (where measure = 2), 0),
    coalesce(sum(n) filter (where measure = 3), 0),
    coalesce(sum(n) filter (where measure = 4), 0),
    coalesce(sum(n) filter (where measure = 5), 0),
    coalesce(sum(n) filter (where measure = 6), 0),
    coalesce(sum(n) filter (where measure = 7), 0),
    coalesce(sum(n) filter (where measure = 8), 0)
  from moved
  group by project_id, at, source_type, campaign_id;
  return null;
end $$;
