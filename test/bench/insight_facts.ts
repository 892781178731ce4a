// Events and mails of a history: half of the events are of mails that were sent, a quarter of what became of them.
import { contentId, type History, placeOf, TEMPLATES } from "./insight_history.ts";

/** An event that clients track often: one of twenty. */
export const COMMON = "page viewed";
/** One of ten thousand. */
export const SOME = "invited";
/** Tracked in the first tenth of the time only. */
export const LONG_AGO = "migrated";
/** One of twenty, and nothing refers to it. */
export const TO_DELETE = "searched";

const ABOUT_MAIL = '"subject": "The new colours", "from": "news@shop.example", "fromName": "Shop"';
const SENT = (source: string) =>
  `'{${ABOUT_MAIL}, "messageId": "<0190c2f0-8d5e-7000-8000@shop.example>", "sourceType": "${source}"}'::jsonb`;

/** Of each hundred mails fifty are of a campaign, thirty are transactional, and twenty of workflows. */
const SOURCE = (campaign: string, transactional: string, workflow: string) =>
  `case when m / 10 % 10 < 5 then ${campaign} when m / 10 % 10 < 8 then ${transactional} else ${workflow} end`;

/** Whose a mail is, `m` being its number: neighbours in time are of different contacts. */
export const contactOfMail = (contacts: number) => `(m * 7919 % ${contacts})`;

/** Writes the events from one number to another, in the order of time. */
export function eventsOf(history: History, from: number, to: number): string {
  const { projectId, events, mails, contacts } = history;
  const { seconds, id } = placeOf(history);
  return `
    insert into events (project_id, id, contact_id, email_id, name, data, created_at, depth)
    select
      '${projectId}', ${id("event", "n", events)}, ${id("contact", "who", contacts)}, case when of_mail then ${id("mail", "m", mails)} end, name,
      case
        when name = 'email.sent' then ${SOURCE(SENT("CAMPAIGN"), SENT("TRANSACTIONAL"), SENT("WORKFLOW"))}
        when name = 'email.open' and n % 3 = 0 then '{"machine": true}'
        when name = 'email.click' then '{${ABOUT_MAIL}, "link": "https://shop.example/colours"}'
        when of_mail then '{${ABOUT_MAIL}}'
        else '{"source": "web", "page": "/colours"}'
      end,
      to_timestamp(seconds), 0
    from (
      select
        n, seconds, m, name, name like 'email.%' as of_mail,
        case
          when name like 'email.%' then ${contactOfMail(contacts)}
          else floor(random() * random() * ${contacts})::bigint
        end as who
      from (
        select
          n,
          ${seconds("n", events)} as seconds,
          least(${mails} - 1, (n / 20 * 10 + k % 10) * 2 * ${mails} / ${events}) as m,
          ${nameOf(events)} as name
        from (select n, n % 20 as k, n / 20 % 500 as j from generate_series(${from}::bigint, ${to}) as n) as numbered
      ) as named
      offset 0
    ) as told`;
}

/** Twenty in a row, of which the last is one of the rarer ones. */
function nameOf(events: number): string {
  return `case
    when k < 10 then 'email.sent'
    when k < 12 then 'email.delivery'
    when k < 15 then 'email.open'
    when k = 15 then 'email.click'
    when k = 16 then '${COMMON}'
    when k = 17 then 'signed in'
    when k = 18 then (array['purchased', 'added to cart'])[1 + j % 2]
    when j = 0 then 'email.complaint'
    when j = 1 then 'contact.unsubscribed'
    when j < 12 then 'contact.subscribed'
    when j < 22 then 'email.bounce'
    when j = 22 then '${SOME}'
    when n < ${events} / 10 then '${LONG_AGO}'
    else '${TO_DELETE}'
  end`;
}

/** Writes the mails from one number to another: half of campaigns, and what became of each within three days. */
export function mailsOf(history: History, from: number, to: number): string {
  const { projectId, until, mails, contacts, campaigns, sent, executions } = history;
  const { at, id } = placeOf(history);
  const now = `'${until.toISOString()}'::timestamptz`;
  const by = (time: string, condition: string) =>
    `case when ${condition} and ${time} <= ${now} then ${time} end`;
  const campaign = `m * ${sent} / ${mails}`;
  const shared = `${campaigns} + m % ${TEMPLATES}`;
  const execution = `m * ${executions} / ${mails}`;
  return `
    insert into emails (
      project_id, id, contact_id, address, content_id, source_type, campaign_id, workflow_execution_id, status, attempts,
      due_at, tried_at, message_id, queued_at, sent_at, delivered_at, opened_at, clicked_at, bounced_at, complained_at,
      unsubscribed_at, bot_opened_at, opens, clicks
    )
    select
      '${projectId}', ${id("mail", "m", mails)}, ${id("contact", "who", contacts)}, 'user' || who || '@example.com',
      ${contentId(until, SOURCE(campaign, shared, shared))},
      (${SOURCE("'CAMPAIGN'", "'TRANSACTIONAL'", "'WORKFLOW'")})::email_source,
      ${SOURCE(id("campaign", campaign, sent), "null", "null")},
      ${SOURCE("null", "null", id("execution", execution, executions))},
      (case
        when bounced_at is not null then 'BOUNCED' when complained_at is not null then 'COMPLAINED'
        when clicked_at is not null then 'CLICKED' when opened_at is not null then 'OPENED'
        when delivered_at is not null then 'DELIVERED' else 'SENT'
      end)::email_status,
      1, at, at, '<' || m || '@shop.example>', at, at, delivered_at, opened_at, clicked_at, bounced_at, complained_at,
      unsubscribed_at, bot_opened_at, (opened_at is not null)::int, (clicked_at is not null)::int
    from (
      select
        m, at, who,
        ${by("at + interval '5 seconds'", "chance > 0.02")} as delivered_at,
        ${by("at + read_after", "chance > 0.7")} as opened_at,
        ${by("at + read_after + interval '1 minute'", "chance > 0.95")} as clicked_at,
        ${by("at + interval '1 minute'", "chance <= 0.02")} as bounced_at,
        ${by("at + read_after", "chance > 0.9995")} as complained_at,
        ${by("at + read_after", "chance > 0.999")} as unsubscribed_at,
        ${by("at + interval '30 seconds'", "chance between 0.5 and 0.9")} as bot_opened_at
      from (
        select
          m, ${at("m", mails)} as at, ${contactOfMail(contacts)} as who, random() as chance,
          random() ^ 3 * interval '3 days' as read_after
        from generate_series(${from}::bigint, ${to}) as m
        offset 0
      ) as drawn
    ) as told`;
}
