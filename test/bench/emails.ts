// GET /emails of a project with five million mails, against one with a million: a first page for each filter that has an
// index, in milliseconds and in pages read, and the refusal of a combination that has none.
import type { Sql } from "postgres";
import { createProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import type { Context } from "../../src/context.ts";
import { searchEmails } from "../../src/sending/delivery/email_search.ts";
import { type EmailFilter, listEmails } from "../../src/sending/delivery/emails.ts";
import { pagesRead } from "./support/audience.ts";
import { openLoader } from "./support/loader.ts";
import { below, type BenchOptions, exactly, percentile, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const MAILS = 5_000_000;
const YOUNG_PART = 0.2;
/** Of each contact, and of each campaign, template and workflow: an older project has more of them, not larger ones. */
const MAILS_OF_A_CONTACT = 500;
const MAILS_OF_A_MAKER = 50_000;
const BATCH = 250_000;
const RUNS = 30;
const LIMIT_MS = 10;
/** Of the mails of 111 contacts. */
const SEARCH_LIMIT_MS = 50;
const FLAT = 1.5;
const PAGE = { limit: 20, afterId: null, dir: "desc" as const };
const INDEXES = "indrelid = 'emails'::regclass and not indisunique";

/** A project, and what can be asked about it. */
interface Ledger {
  project: NewProject;
  contactId: string;
  makerId: string;
}

const FILTERS: [about: string, of: (ledger: Ledger) => EmailFilter][] = [
  ["no filter", () => ({})],
  ["a period", () => ({ from: new Date(Date.now() - 86_400_000) })],
  ["to", () => ({ to: "user7@example.com" })],
  ["contactId", ({ contactId }) => ({ contactId })],
  ["contactId and status", ({ contactId }) => ({ contactId, status: "BOUNCED" })],
  ["campaignId", ({ makerId }) => ({ campaignId: makerId })],
  ["campaignId and status", ({ makerId }) => ({ campaignId: makerId, status: "BOUNCED" })],
  ["templateId", ({ makerId }) => ({ templateId: makerId })],
  ["workflowId", ({ makerId }) => ({ workflowId: makerId })],
  ["sourceType", () => ({ sourceType: "WORKFLOW" })],
  ["status of half", () => ({ status: "SENT" })],
  ["status of 0.1 %", () => ({ status: "BOUNCED" })],
  ["status of none", () => ({ status: "IN_DOUBT" })],
];

/** Runs the bench. */
export async function run(report: Report, { mails = MAILS }: BenchOptions): Promise<void> {
  await onStage(async ({ ctx, databaseUrl, project }) => {
    const loader = openLoader(databaseUrl);
    const indexes = await dropIndexes(loader);
    const aged = await fill(loader, project, mails);
    const young = await fill(loader, await createProject(ctx, "Young"), mails * YOUNG_PART);
    for (const definition of indexes) await loader.unsafe(definition);
    await loader.unsafe("vacuum analyze emails");
    await loader.end();
    for (const [about, of] of FILTERS) {
      const list = (ledger: Ledger) => (tx: Context) => listEmails(tx, ledger.project.id, of(ledger), PAGE);
      await measure(report, ctx, about, list(aged), list(young));
    }
    const search = (ledger: Ledger) => (tx: Context) =>
      searchEmails(tx, ledger.project.id, "user19", { limit: 20, beforeId: null });
    await measure(report, ctx, "search", search(aged), search(young), SEARCH_LIMIT_MS);
    const refused = await listEmails(ctx, project.id, { status: "SENT", sourceType: "WORKFLOW" }, PAGE).then(
      () => 0,
      (error: { status?: number }) => error.status ?? 1,
    );
    report.line("status and sourceType at once", refused, "status", { goal: exactly(400) });
  });
}

type Work = (tx: Context) => Promise<unknown>;

async function measure(
  report: Report,
  ctx: Context,
  about: string,
  aged: Work,
  young: Work,
  limitMs = LIMIT_MS,
): Promise<void> {
  const times: number[] = [];
  await aged(ctx);
  for (let i = 0; i < RUNS; i++) {
    const startedAt = performance.now();
    await aged(ctx);
    times.push(performance.now() - startedAt);
  }
  report.line(`first page, ${about}, p50`, percentile(times, 50), "ms", {
    goal: below(limitMs),
    note: { p95: Number(percentile(times, 95).toFixed(2)) },
  });
  // What is read of the catalogue for the first time on a connection is none of a table's pages.
  const pages = { aged: await pagesRead(ctx, aged), young: await pagesRead(ctx, young) };
  report.line(`pages read, ${about}`, pages.aged, "pages", {
    ceiling: pages.young,
    goal: {
      text: `<= ${FLAT}, or 30 pages more`,
      isMet: (ratio) => ratio <= FLAT || pages.aged - pages.young <= 30,
    },
  });
}

/** Mails of half a year, the oldest first: half of campaigns, a quarter each of templates and workflows. */
async function fill(loader: Sql, project: NewProject, mails: number): Promise<Ledger> {
  const contacts = mails / MAILS_OF_A_CONTACT;
  const count = mails / MAILS_OF_A_MAKER;
  await loader`
    insert into contacts (project_id, email, subscribed)
    select ${project.id}, 'user' || n || '@example.com', true from generate_series(1, ${contacts}::int) as n`;
  await loader`
    insert into contents (project_id, subject, html, from_email)
    select ${project.id}, 'Letter ' || n, 'Hi', 'a@shop.example' from generate_series(1, ${count}::int) as n`;
  const makers = Array.from({ length: count }, () => Bun.randomUUIDv7());
  for (let from = 1; from <= mails; from += BATCH) {
    await loader`
        insert into emails (
          project_id, contact_id, address, content_id, source_type, campaign_id, template_id, workflow_id, status, due_at,
          queued_at, sent_at
        )
        select
          ${project.id}, c.ids[1 + n % ${contacts}], 'user@example.com', o.ids[1 + n % ${count}],
          (case when n % 4 < 2 then 'CAMPAIGN' when n % 4 = 2 then 'TRANSACTIONAL' else 'WORKFLOW' end)::email_source,
          case when n % 4 < 2 then (${makers}::uuid[])[1 + n / 4 % ${count}] end,
          case when n % 4 = 2 then (${makers}::uuid[])[1 + n / 4 % ${count}] end,
          case when n % 4 = 3 then (${makers}::uuid[])[1 + n / 4 % ${count}] end,
          (case when abs(hashint4(n)) % 1000 = 1 then 'BOUNCED' when n % 2 = 0 then 'SENT' else 'OPENED' end)::email_status,
          now(), now(), now()
        from generate_series(${from}::int, ${Math.min(mails, from + BATCH - 1)}::int) as n
        cross join (select array_agg(id) as ids from contacts where project_id = ${project.id}) as c
        cross join (select array_agg(id) as ids from contents where project_id = ${project.id}) as o
        order by n`;
  }
  const [contact] = await loader`
    select id from contacts where project_id = ${project.id} and email = 'user7@example.com'`;
  return { project, contactId: contact!.id as string, makerId: makers[0]! };
}

async function dropIndexes(loader: Sql): Promise<string[]> {
  const indexes = await loader<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where ${loader.unsafe(INDEXES)}`;
  for (const { name } of indexes) await loader.unsafe(`drop index ${name}`);
  return indexes.map(({ definition }) => definition);
}
