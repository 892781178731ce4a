// Accepting a mail durably, against the statements that it takes.
import { sortData } from "../../src/audience/contacts/data.ts";
import { contactKey, upsertContacts } from "../../src/audience/contacts/mod.ts";
import { plainText } from "../../src/content/plain_text.ts";
import type postgres from "postgres";
import { type Context, inTransaction, newId } from "../../src/context.ts";
import { q } from "../../src/db/queries.ts";
import { bestSetup, measureDriver } from "./support/driver.ts";
import { type LoadResult, runLoad } from "./support/http_load.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { DOMAIN, onStage } from "./support/stage.ts";

const CONNECTIONS = 64;
const CONTACTS = 100_000;
const HTML = "<p>Hello,</p><p>your order is on its way. You will hear from us when it has arrived.</p>";
const BODY = JSON.stringify({
  to: "user{n}@example.com",
  from: `orders@${DOMAIN}`,
  subject: "Your order {n}",
  body: HTML,
});

/** `POST /v1/send` with a plain body, while no worker runs: only the accepting is measured. */
export async function measureAccept(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  await onStage(async ({ ctx, databaseUrl, project, startService }) => {
    const service = await startService({ MODE: "http" });
    const load = {
      port: service.port,
      path: "/v1/send",
      key: project.secret,
      body: BODY,
      population: CONTACTS,
    };
    const work = (sql: postgres.Sql) => acceptOne({ ...ctx, pool: sql, sql }, project.id);
    const setup = await bestSetup(databaseUrl, CONNECTIONS, work);
    const ceilings: number[] = [];
    const results: LoadResult[] = [];
    for (let round = 0; round < rounds; round++) {
      ceilings.push((await measureDriver(databaseUrl, setup, seconds, work)).rate);
      results.push(await runLoad({ ...load, connections: CONNECTIONS, seconds }));
    }
    const mid = (pick: (result: LoadResult) => number) => median(results.map(pick));
    const errors = results.reduce((sum, result) => sum + result.errors, 0);
    const firstError = results.find((result) => result.firstError)?.firstError;
    report.line(
      "accept, 64 connections",
      mid((result) => result.rate),
      "requests/s",
      {
        ceiling: median(ceilings),
        goal: atLeast(0.6),
        note: { driver: setup },
      },
    );
    report.line(
      "accept p50, 64 connections",
      mid((result) => result.p50),
      "ms",
    );
    report.line(
      "accept p99, 64 connections",
      mid((result) => result.p99),
      "ms",
    );
    report.line("accept errors", errors, "requests", {
      goal: exactly(0),
      ...(firstError && { note: { firstError } }),
    });
    report.line("resident memory of MODE=http", service.resident(), "MB", { goal: below(200) });
    await service.stop();
  });
}

/** The statements of `send` in `src/sending/send/mod.ts`, in its order and its transaction. */
async function acceptOne(ctx: Context, projectId: string): Promise<void> {
  const n = Math.floor(Math.random() * CONTACTS);
  const email = `user${n}@example.com`;
  await inTransaction(ctx, async (tx) => {
    await q.domains.verified(tx, { projectId, domain: DOMAIN });
    const write = { projectId, email, given: {}, subscribedDefault: false, change: sortData() };
    const contact = (await upsertContacts(tx, [write])).get(contactKey(projectId, email))!;
    const contentId = newId(tx);
    const emailId = newId(tx);
    await q.contents.insert(tx, {
      projectId,
      id: contentId,
      subject: `Your order ${n}`,
      html: HTML,
      text: plainText(HTML),
      fromEmail: `orders@${DOMAIN}`,
      fromName: null,
      replyTo: null,
      headers: null,
      data: null,
      templateId: null,
      type: "TRANSACTIONAL",
      shared: false,
    });
    await q.emails.insertMany(tx, {
      projectId,
      contentId,
      templateId: null,
      now: tx.now(),
      rows: [
        { id: emailId, contact_id: contact.id, address: email, to_name: null, resend_of: null, data: null },
      ],
    });
    await q.jobs.addMany(tx, {
      task: "send_emails",
      priority: null,
      payloads: [{ projectId, emailIds: [emailId] }],
    });
  });
}
