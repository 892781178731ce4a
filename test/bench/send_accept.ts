// Accepting a mail durably, against one autocommit statement that writes the contact, the content and the mail.
import type postgres from "postgres";
import { plainText } from "../../src/content/plain_text.ts";
import { bestSetup, measureDriver } from "./support/driver.ts";
import { type LoadResult, runLoad } from "./support/http_load.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { DOMAIN, onStage } from "./support/stage.ts";

const CONNECTIONS = 64;
const CONTACTS = 100_000;
const HTML = "<p>Hello,</p><p>your order is on its way. You will hear from us when it has arrived.</p>";
const TEXT = plainText(HTML);
const BODY = JSON.stringify({
  to: "user{n}@example.com",
  from: `orders@${DOMAIN}`,
  subject: "Your order {n}",
  body: HTML,
});

/** `POST /v1/send` with a plain body, while no worker runs: only the accepting is measured. */
export async function measureAccept(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  await onStage(async ({ databaseUrl, project, startService }) => {
    const service = await startService({ MODE: "http" });
    const load = {
      port: service.port,
      path: "/v1/send",
      key: project.secret,
      body: BODY,
      population: CONTACTS,
    };
    const work = (sql: postgres.Sql) => acceptOne(sql, project.id);
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
        ceiling: ceilings,
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
      { goal: below(100) },
    );
    report.line("accept errors", errors, "requests", {
      goal: exactly(0),
      ...(firstError && { note: { firstError } }),
    });
    report.line("resident memory of MODE=http", service.resident(), "MB", { goal: below(150) });
    await service.stop();
  });
}

/** What one request does at least, as one statement, written by hand. The driver prepares it once for each connection. */
async function acceptOne(sql: postgres.Sql, projectId: string): Promise<void> {
  const n = Math.floor(Math.random() * CONTACTS);
  const email = `user${n}@example.com`;
  await sql`
    with contact as (
      insert into contacts as c (project_id, email, subscribed)
      values (${projectId}, ${email}, false)
      on conflict (project_id, email) do update
      set was_subscribed = c.subscribed, updated_at = now()
      returning id
    ),
    content as (
      insert into contents (project_id, subject, html, text, from_email)
      values (${projectId}, ${`Your order ${n}`}, ${HTML}, ${TEXT}, ${`orders@${DOMAIN}`})
      returning id
    )
    insert into emails (project_id, contact_id, address, content_id, source_type, due_at, queued_at)
    select ${projectId}, contact.id, ${email}, content.id, 'TRANSACTIONAL', now(), now()
    from contact, content
    returning id, contact_id
  `;
}
