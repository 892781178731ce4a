// POST /v1/track at 64 connections, against one autocommit statement that does the same: by the driver, and by `pgbench`; and
// against group commit alone.
import type postgres from "postgres";
import { bestSetup, measureDriver } from "./support/driver.ts";
import { type LoadResult, runLoad } from "./support/http_load.ts";
import { startNakedTrack } from "./support/naked_track.ts";
import { runPgbench } from "./support/pgbench.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { onStage } from "./support/stage.ts";

const CONNECTIONS = 64;
const CONTACTS = 100_000;
/** Until what is done once after a start is done. */
const IDLE_MS = 2_000;
const BODY = JSON.stringify({
  email: "user{n}@example.com",
  event: "page viewed",
  data: { plan: "pro", visits: "{n}" },
}).replace('"{n}"', "{n}");

/** Runs the bench. */
export async function run(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  await onStage(async ({ databaseUrl, project, startService }) => {
    const startsAt = performance.now();
    const service = await startService({ MODE: "all" });
    report.line("start until it is ready, the database being there", performance.now() - startsAt, "ms", {
      goal: below(1_500),
    });
    await Bun.sleep(IDLE_MS);
    report.line("resident memory of the service, idle", service.resident(), "MB", { goal: below(90) });
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
    const alone: number[] = [];
    const naked: number[] = [];
    const results: LoadResult[] = [];
    const other = await startNakedTrack(databaseUrl, project.id);
    for (let round = 0; round < rounds; round++) {
      ceilings.push((await measureDriver(databaseUrl, setup, seconds, work)).rate);
      const tps = await runPgbench(databaseUrl, oneEvent(project.id), seconds);
      if (tps !== null) alone.push(tps);
      naked.push((await runLoad({ ...load, port: other.port, connections: CONNECTIONS, seconds })).rate);
      results.push(await runLoad({ ...load, connections: CONNECTIONS, seconds }));
    }
    other.stop();
    reportLoad(report, results, ceilings, { ...setup });
    reportOthers(report, results, { alone, naked });
    const single = await runLoad({ ...load, connections: 1, seconds: Math.min(seconds, 2) });
    const direct = await measureDriver(
      databaseUrl,
      { connections: 1, callers: 1 },
      Math.min(seconds, 2),
      work,
    );
    report.line("latency p50, 1 connection", single.p50, "ms", { note: { statementAlone: direct.p50 } });
    report.line("resident memory of the service", service.resident(), "MB", { goal: below(150) });
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
    { goal: below(25) },
  );
  report.line("errors", errors, "requests", {
    goal: exactly(0),
    ...(firstError && { note: { firstError } }),
  });
}

/** The same rate against what others reach. */
function reportOthers(
  report: Report,
  results: LoadResult[],
  { alone, naked }: { alone: number[]; naked: number[] },
): void {
  const rate = median(results.map((result) => result.rate));
  if (alone.length > 0) {
    report.line("throughput, against pgbench with 32 clients", rate, "requests/s", {
      ceiling: alone,
      goal: atLeast(1),
    });
  }
  report.line("throughput, against group commit alone", rate, "requests/s", {
    ceiling: naked,
    goal: atLeast(0.75),
  });
}

/** The statement of {@linkcode trackOne} for `pgbench`. */
function oneEvent(projectId: string): string {
  return `\\set n random(0, ${CONTACTS - 1})
with contact as (
  insert into contacts as c (project_id, email, subscribed, data)
  values ('${projectId}', 'user' || (:n)::int || '@example.com', true, jsonb_build_object('plan', 'pro', 'visits', (:n)::int))
  on conflict (project_id, email) do update
  set was_subscribed = c.subscribed, data = c.data || excluded.data, updated_at = now()
  returning id
)
insert into events (project_id, contact_id, name, data)
select '${projectId}', id, 'page viewed', jsonb_build_object('plan', 'pro', 'visits', (:n)::int) from contact;
`;
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
