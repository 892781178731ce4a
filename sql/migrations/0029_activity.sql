-- When a campaign was last put on the schedule, which is told as long as there is the campaign. The time it is sent at is
-- another one: `scheduled_for`.
alter table campaigns add column scheduled_at timestamptz;

create function note_scheduling() returns trigger
language plpgsql as $$
begin
  new.scheduled_at := new.updated_at;
  return new;
end $$;

create trigger campaigns_scheduled_at
before update of scheduled_for on campaigns
for each row
when (
  new.status = 'SCHEDULED'
  and (old.status, old.scheduled_for) is distinct from (new.status, new.scheduled_for)
)
execute function note_scheduling();

-- The feed is in the order of time that the ids of events have: for everything else it takes the first id that there
-- could be at the time. (The id of an execution is of the time of its event, and not of its own.) All of these indexes
-- serve `activity.page`; those of `events` besides are the primary key and `events_by_name`.

-- Events that are neither of mails nor of subscriptions: what a client tracks, and segments. Where a project sends a
-- thousand mails for each of them they are found without walking past those.
create index events_triggered on events (project_id, id)
where name not in (
  'email.sent', 'email.delivery', 'email.received', 'email.open', 'email.click', 'email.bounce', 'email.complaint',
  'contact.subscribed', 'contact.unsubscribed'
);

create index campaigns_scheduled on campaigns (project_id, first_id_at(scheduled_at), id)
where scheduled_at is not null;

create index campaigns_sent on campaigns (project_id, first_id_at(sent_at), id) where sent_at is not null;

create index executions_started on executions (project_id, first_id_at(started_at), id);

create index executions_completed on executions (project_id, first_id_at(completed_at), id)
where completed_at is not null;

-- Serves `activity_upcoming.list`. As one expression, so that it is never taken for what `executions_open` serves: that one
-- holds the waits of all projects.
create index executions_upcoming on executions (project_id, (case status when 'WAITING' then wake_at end), id)
where case status when 'WAITING' then wake_at end is not null;
