// The past of a project, written in sets, with every row as it would be had it come one by one.
import type postgres from "postgres";
import type { Context } from "../../src/context.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { startExecution } from "../../src/automation/engine/executions.ts";
import { eventsOf, mailsOf } from "./insight_facts.ts";
import type { Stage } from "./support/stage.ts";
import { chain } from "./support/workflows.ts";

/** How much there is of everything. */
export interface Sizes {
  events: number;
  mails: number;
  contacts: number;
  campaigns: number;
  executions: number;
}

/** What is written for one project: so much, evenly between two times. */
export interface History extends Sizes {
  projectId: string;
  since: Date;
  until: Date;
  /** Campaigns that have been sent; the others are drafts, or to be sent in the next days. */
  sent: number;
  workflowId: string;
  versionId: string;
  stepId: string;
}

/** Where and when the rows of a history are, as SQL. */
export interface Place {
  /** The moment of row `n` of so many. */
  at(n: string, of: number): string;
  /** The same in seconds since 1970. */
  seconds(n: string, of: number): string;
  /** The id of row `n` of so many: it can be told without looking. */
  id(kind: keyof typeof KINDS, n: string, of: number): string;
}

/** In each id, because no two things have the same one. */
const KINDS = { contact: 1, event: 2, mail: 3, execution: 4, campaign: 5, content: 6 };
/** Rows of one statement. */
const SLICE = 100_000;
/** Triggers of contacts take their time. */
const CONTACTS_SLICE = 20_000;
/** Messages that mails of no campaign share. */
export const TEMPLATES = 20;
const PART_SENT = 0.9;
/** Of the executions the newest ones still wait. */
const PART_WAITING = 0.02;
const NEXT_EVENT = "paid";

/** Makes what the rows of a project hang on, with its contacts, in the part of two years that `part` says. */
export async function beginHistory(
  stage: Stage,
  project: NewProject,
  { since, until }: { since: Date; until: Date },
  all: Sizes,
  part: number,
): Promise<History> {
  const of = (count: number, least = 1) => Math.max(least, Math.round(count * part));
  const campaigns = of(all.campaigns, 3);
  const contacts = of(all.contacts, 10);
  const from = new Date(until.getTime() - (until.getTime() - since.getTime()) * part);
  await addContacts(stage.ctx, project.id, { since: from, until }, contacts);
  return {
    projectId: project.id,
    since: from,
    until,
    events: of(all.events),
    mails: of(all.mails),
    contacts,
    campaigns,
    executions: Math.min(of(all.executions), contacts),
    sent: Math.floor(campaigns * PART_SENT),
    ...(await makeWorkflow({ ...stage, project })),
  };
}

/** A workflow with the version that its executions are of: the first one makes it. */
async function makeWorkflow(stage: Stage) {
  const { ctx, project } = stage;
  const step = { type: "WAIT_FOR_EVENT" as const, config: { eventName: NEXT_EVENT, timeout: 31_536_000 } };
  const workflowId = await chain(stage, "signed up", [step]);
  const [contact] = await ctx.pool`select id from contacts where project_id = ${project.id} limit 1`;
  const { id } = await startExecution(ctx, project.id, workflowId, { contactId: contact!.id as string });
  await ctx.pool`delete from executions where id = ${id}`;
  await ctx.pool`delete from graphile_worker._private_jobs`;
  const [made] = await ctx.pool<{ versionId: string; stepId: string }[]>`
    select w.version_id, s.id as step_id
    from workflows w
    join workflow_steps s on s.project_id = w.project_id and s.workflow_id = w.id
    where w.id = ${workflowId} and s.type = 'WAIT_FOR_EVENT'`;
  return { workflowId, ...made! };
}

/** Everything else of these projects, as statements that may run in any order and at once. */
export function statementsOf(histories: History[]): string[] {
  return histories.flatMap((history) => [
    contentsOf(history),
    campaignsOf(history),
    ...slicesOf(history.executions, (from, to) => executionsOf(history, from, to)),
    ...slicesOf(history.mails, (from, to) => mailsOf(history, from, to)),
    ...slicesOf(history.events, (from, to) => eventsOf(history, from, to)),
  ]);
}

/** How the rows of a history are placed. */
export function placeOf({ since, until }: Pick<History, "since" | "until">): Place {
  const begin = since.getTime() / 1000;
  const length = until.getTime() / 1000 - begin;
  const seconds = (n: string, of: number) => `(${begin}::float8 + ${length}::float8 * (${n}) / ${of})`;
  return {
    seconds,
    at: (n, of) => `to_timestamp(${seconds(n, of)})`,
    id: (kind, n, of) => `bench_id(${seconds(n, of)}, ${KINDS[kind]}, ${n})`,
  };
}

/**
 * Makes the function that all ids come from: 48 bits of time in milliseconds, the version, what it is, and the number of
 * the row. Whole numbers that have their highest digits already are written twice as fast as those that want padding.
 */
export async function makeIds(loader: postgres.Sql): Promise<void> {
  await loader.unsafe(`
    create function bench_id(seconds float8, kind int, n bigint) returns uuid language sql immutable parallel safe
    return (
      '0' || to_hex(floor(seconds * 1000)::bigint * 65536 + 28672 + kind) || to_hex(n | (1::bigint << 63))
    )::uuid`);
}

/** What campaigns have come to, by the counters of the mails. */
export async function countCampaigns(loader: postgres.Sql, { projectId }: History): Promise<void> {
  await loader`
    update campaigns c
    set
      sent_count = m.sent, delivered_count = m.delivered, opened_count = m.opened, clicked_count = m.clicked,
      bounced_count = m.bounced, complained_count = m.complained, unsubscribed_count = m.unsubscribed
    from (
      select
        campaign_id, sum(sent) as sent, sum(delivered) as delivered, sum(opened) as opened, sum(clicked) as clicked,
        sum(bounced) as bounced, sum(complained) as complained, sum(unsubscribed) as unsubscribed
      from mail_counts_of(${projectId}, '-infinity', 'infinity')
      group by campaign_id
    ) as m
    where c.project_id = ${projectId} and c.id = m.campaign_id`;
}

async function addContacts(
  { pool }: Context,
  projectId: string,
  period: { since: Date; until: Date },
  contacts: number,
): Promise<void> {
  const { at, id } = placeOf(period);
  const statements = slicesOf(
    contacts,
    (from, to) => `
      insert into contacts (project_id, id, email, subscribed, data, created_at, updated_at)
      select
        '${projectId}', ${id("contact", "n", contacts)}, 'user' || n || '@example.com', n % 10 <> 0, '{"plan": "pro"}',
        ${at("n", contacts)}, ${at("n", contacts)}
      from generate_series(${from}, ${to}) as n`,
    CONTACTS_SLICE,
  );
  for (const statement of statements) await pool.unsafe(statement);
}

/** A message for each campaign, and some that all other mails share. They are new: nothing of them has expired. */
function contentsOf({ projectId, until, campaigns }: History): string {
  return `
    insert into contents (project_id, id, subject, html, from_email, from_name, type, tracked, shared, created_at)
    select
      '${projectId}', ${contentId(until, "n")}, 'The new colours ' || n, repeat('<p>Hello</p>', 200),
      'news@shop.example', 'Shop', 'MARKETING', true, true, '${until.toISOString()}'
    from generate_series(0, ${campaigns + TEMPLATES - 1}) as n`;
}

/** The id of a message: it is new, whenever it was sent. */
export function contentId(until: Date, n: string): string {
  return `bench_id(${until.getTime() / 1000}::float8, ${KINDS.content}, ${n})`;
}

function campaignsOf({ projectId, since, until, campaigns, sent }: History): string {
  const { at, id } = placeOf({ since, until });
  return `
    insert into campaigns (
      project_id, id, name, subject, body, html, from_email, audience_type, status, content_id, scheduled_for,
      scheduled_at, sent_at, finished_at, snapshot_at, created_at, updated_at
    )
    select
      '${projectId}', ${id("campaign", "n", sent)}, 'Campaign ' || n, 'The new colours ' || n, '<p>Hello</p>', '<p>Hello</p>',
      'news@shop.example', 'ALL',
      (case when n < ${sent} then 'SENT' when n % 2 = 0 then 'DRAFT' else 'SCHEDULED' end)::campaign_status,
      case when n < ${sent} then ${contentId(until, "n")} end,
      case when n >= ${sent} and n % 2 = 1 then '${until.toISOString()}'::timestamptz + n * interval '1 hour' end,
      case when n % 2 = 1 then least(${at("n", sent)}, '${until.toISOString()}') end,
      case when n < ${sent} then ${at("n", sent)} end,
      case when n < ${sent} then ${at("n", sent)} end,
      case when n < ${sent} then ${at("n", sent)} end,
      least(${at("n", sent)}, '${until.toISOString()}'),
      least(${at("n", sent)}, '${until.toISOString()}')
    from generate_series(0, ${campaigns - 1}) as n`;
}

function executionsOf(history: History, from: number, to: number): string {
  const { projectId, executions, contacts, workflowId, versionId, stepId, until } = history;
  const { at, id } = placeOf(history);
  const waits = `n >= ${Math.floor(executions * (1 - PART_WAITING))}`;
  return `
    insert into executions (
      project_id, id, workflow_id, version_id, contact_id, status, current_step_id, is_only, wake_at, started_at,
      completed_at
    )
    select
      '${projectId}', ${id("execution", "n", executions)}, '${workflowId}', '${versionId}', ${id("contact", "n", contacts)},
      (case when ${waits} then 'WAITING' else 'COMPLETED' end)::execution_status,
      case when ${waits} then '${stepId}'::uuid end,
      true,
      case when ${waits} then '${until.toISOString()}'::timestamptz + (1 + n % 60) * interval '1 day' end,
      ${at("n", executions)},
      case when not (${waits}) then ${at("n", executions)} + interval '1 minute' end
    from generate_series(${from}, ${to}) as n`;
}

function slicesOf(count: number, write: (from: number, to: number) => string, size = SLICE): string[] {
  return Array.from({ length: Math.ceil(count / size) }, (_, i) =>
    write(i * size, Math.min(count, (i + 1) * size) - 1),
  );
}
