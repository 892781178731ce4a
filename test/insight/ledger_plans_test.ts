// Every filter of the ledger reads a page, however many mails there are, and however rare those are that it asks for.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { searchEmails } from "../../src/sending/delivery/email_search.ts";
import { type EmailFilter, listEmails } from "../../src/sending/delivery/emails.ts";
import { mailEvents } from "../../src/sending/delivery/shown_mail.ts";
import { fillPatiently } from "../support/postgres.ts";
import { useService } from "../support/service.ts";

const ROWS = 30_000;
const LIMIT = 20;
const service = useService();
let project: NewProject;
const ids = Object.fromEntries(
  ["campaign", "template", "workflow"].map((name) => [name, Bun.randomUUIDv7()]),
) as Record<"campaign" | "template" | "workflow", string>;

beforeAll(async () => {
  project = await service.createProject();
  const { pool } = service;
  await pool`
    insert into contacts (project_id, email, subscribed)
    select ${project.id}, 'p' || n || '@many.example', true from generate_series(1, 1000) as n`;
  await pool`
    insert into contents (project_id, subject, html, from_email)
    select ${project.id}, case when n <= 30 then 'Rare words' else 'Receipt' end, 'Hi', 'a@shop.example'
    from generate_series(1, 1000) as n`;
  // The mails that are asked for are the oldest ones, behind all others.
  await fillPatiently(service.databaseUrl, async (sql) => {
    await sql`
      insert into emails (
        project_id, contact_id, address, content_id, source_type, campaign_id, template_id, workflow_id, status, due_at,
        queued_at, sent_at, opened_at, clicked_at, unsubscribed_at
      )
      select
        ${project.id}, c.ids[1 + n % 1000], 'p@many.example',
        case when n > 60 then o.ids[31 + n % 970] else o.ids[1 + n % 30] end,
        (case when n <= 30 then 'WORKFLOW' when n <= 60 then 'TRANSACTIONAL' else 'CAMPAIGN' end)::email_source,
        case when n > 60 then ${ids.campaign}::uuid end,
        case when n between 31 and 60 then ${ids.template}::uuid end,
        case when n <= 30 then ${ids.workflow}::uuid end,
        (case when n between 61 and 90 then 'BOUNCED' else 'SENT' end)::email_status,
        now(), now(), now(),
        case when n between 91 and 130 then now() end, case when n between 91 and 120 then now() end,
        case when n between 91 and 120 then now() end
      from generate_series(1, ${ROWS}::int) as n
      cross join (select array_agg(id) as ids from contacts where project_id = ${project.id}) as c
      cross join (
        select array_agg(id order by subject) as ids from contents where project_id = ${project.id}
      ) as o
      order by n`;
    // Thirty opens of each contact's first mail, and of everybody's together a thousand times as many.
    await sql`
      insert into events (project_id, contact_id, email_id, name, data, created_at, depth)
      select ${project.id}, m.contact_id, m.id, 'email.open', '{}', now(), 0
      from (select distinct on (contact_id) id, contact_id from emails where project_id = ${project.id}) as m
      cross join generate_series(1, 30)`;
  });
}, 240_000);

/** The mails, or the events, that a statement reads, and those that it answers. */
async function readBy(
  run: (tx: Context) => Promise<unknown[]>,
  what: "emails" | "events" = "emails",
): Promise<{ read: number; rows: number }> {
  return await service.pool.begin(async (sql) => {
    const seen = async () => {
      const [mails] = await sql`
        select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
        from pg_stat_xact_user_tables where starts_with(relname, ${what}) and schemaname = 'public'`;
      return mails!.rows as number;
    };
    const before = await seen();
    const rows = await run({ ...service, sql });
    return { read: (await seen()) - before, rows: rows.length };
  });
}

const page = { limit: LIMIT, afterId: null, dir: "desc" } as const;
const FILTERS: [string, () => EmailFilter][] = [
  ["campaign", () => ({ campaignId: ids.campaign })],
  ["campaign and state", () => ({ campaignId: ids.campaign, status: "BOUNCED" })],
  ["campaign and opens", () => ({ campaignId: ids.campaign, opened: true })],
  ["campaign and clicks", () => ({ campaignId: ids.campaign, clicked: true })],
  ["campaign and unsubscribers", () => ({ campaignId: ids.campaign, unsubscribed: true })],
  ["template", () => ({ templateId: ids.template })],
  ["workflow", () => ({ workflowId: ids.workflow })],
  ["source", () => ({ sourceType: "TRANSACTIONAL" })],
  ["state", () => ({ status: "BOUNCED" })],
  ["address and type", () => ({ to: "p7@many.example", type: "TRANSACTIONAL" })],
];

describe.each(["never analyzed", "analyzed"])("of tables %s, a page", (state) => {
  beforeAll(async () => {
    if (state === "analyzed") await service.pool`analyze`;
  }, 240_000);

  test("of what happened to a mail reads the events of its contact", async () => {
    const [mail] = await service.pool`
      select email_id as id from events where project_id = ${project.id} limit 1`;
    const { read, rows } = await readBy((tx) => mailEvents(tx, project.id, mail!.id as string), "events");

    expect(rows).toBeGreaterThanOrEqual(30);
    expect(read).toBeLessThanOrEqual(2 * rows);
  });

  test.each(FILTERS)("by %s reads what it answers", async (_name, filter) => {
    const { read, rows } = await readBy((tx) => listEmails(tx, project.id, filter(), page));

    expect(rows).toBe(LIMIT + 1);
    expect(read).toBeLessThanOrEqual(3 * LIMIT);
  });

  test("of a search reads a page for each subject that was found", async () => {
    const { read, rows } = await readBy((tx) =>
      searchEmails(tx, project.id, "rare wor", { limit: LIMIT, beforeId: null }),
    );

    expect(rows).toBe(LIMIT + 1);
    expect(read).toBeLessThanOrEqual(30 * (LIMIT + 1) + LIMIT + 1);
  });
});
