// POST /v1/track at 64 connections, against one autocommit statement that does the same.
import type postgres from "postgres";
import { bestSetup, measureDriver } from "./support/driver.ts";
import { type LoadResult, runLoad } from "./support/http_load.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const CONNECTIONS = 64;
const CONTACTS = 100_000;
const BODY = JSON.stringify({
  email: "user{n}@example.com",
  event: "page viewed",
  data: { plan: "pro", visits: "{n}" },
}).replace('"{n}"', "{n}");

/** Runs the bench. */
export async function run(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  await onStage(async ({ databaseUrl, project, startService }) => {
    const service = await startService({ MODE: "all" });
    const load = {
      port: service.port,
      path: "/v1/track",
      key: project.public,
      body: BODY,
      population: CONTACTS,
    };
    const work = (sql: postgres.Sql) => trackOne(sql, project.id);
    const setup = await bestSetup(databaseUrl, CONNECTIONS, work);
    const ceilings: number[] = [];
    const results: LoadResult[] = [];
    for (let round = 0; round < rounds; round++) {
      ceilings.push((await measureDriver(databaseUrl, setup, seconds, work)).rate);
      results.push(await runLoad({ ...load, connections: CONNECTIONS, seconds }));
    }
    reportLoad(report, results, ceilings, { ...setup });
    const alone = await runLoad({ ...load, connections: 1, seconds: Math.min(seconds, 2) });
    const direct = await measureDriver(
      databaseUrl,
      { connections: 1, callers: 1 },
      Math.min(seconds, 2),
      work,
    );
    report.line("latency p50, 1 connection", alone.p50, "ms", { note: { statementAlone: direct.p50 } });
    report.line("resident memory of the service", service.resident(), "MB", { goal: below(200) });
    await service.stop();
  });
}

function reportLoad(report: Report, results: LoadResult[], ceilings: number[], driver: object): void {
  const mid = (pick: (result: LoadResult) => number) => median(results.map(pick));
  const errors = results.reduce((sum, result) => sum + result.errors, 0);
  const firstError = results.find((result) => result.firstError)?.firstError;
  report.line(
    "throughput, 64 connections",
    mid((result) => result.rate),
    "requests/s",
    {
      ceiling: ceilings,
      goal: atLeast(0.7),
      note: { driver },
    },
  );
  report.line(
    "latency p50, 64 connections",
    mid((result) => result.p50),
    "ms",
  );
  report.line(
    "latency p95, 64 connections",
    mid((result) => result.p95),
    "ms",
  );
  report.line(
    "latency p99, 64 connections",
    mid((result) => result.p99),
    "ms",
    { goal: below(50) },
  );
  report.line("errors", errors, "requests", {
    goal: exactly(0),
    ...(firstError && { note: { firstError } }),
  });
}

/** What one request does, as one statement, written by hand. The driver prepares it once for each connection. */
async function trackOne(sql: postgres.Sql, projectId: string): Promise<void> {
  const n = Math.floor(Math.random() * CONTACTS);
  const data = sql.json({ plan: "pro", visits: n });
  await sql`
    with contact as (
      insert into contacts as c (project_id, email, subscribed, data)
      values (${projectId}, ${`user${n}@example.com`}, true, ${data})
      on conflict (project_id, email) do update
      set was_subscribed = c.subscribed, data = c.data || excluded.data, updated_at = now()
      returning id
    )
    insert into events (project_id, contact_id, name, data)
    select ${projectId}, id, 'page viewed', ${data}
    from contact
    returning id, contact_id, created_at
  `;
}
