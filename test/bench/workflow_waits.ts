// An event wakes one execution of very many that wait.
import { readFileSync } from "node:fs";
import { startExecution } from "../../src/automation/engine/executions.ts";
import { parseStatements } from "../../src/db/_parse.ts";
import { QUERIES_DIR } from "../../src/db/queries.ts";
import { below, type BenchOptions, exactly, percentile, type Report } from "./support/report.ts";
import { onStage, type Stage } from "./support/stage.ts";
import { chain } from "./support/workflows.ts";

const WAITING = 1_000_000;
const EVENTS = 400;
const WARM_UP = 20;
const PAUSE_MS = 10;
const PATIENCE_MS = 10_000;

/** From the request that tracks an event to the execution having gone on. */
export async function measureWaits(report: Report, { contacts }: BenchOptions): Promise<void> {
  const waiting = contacts ?? WAITING;
  await onStage(async (stage) => {
    await prepare(stage, waiting);
    const service = await stage.startService({ MODE: "all" });
    const times: number[] = [];
    for (let n = 0; n < EVENTS + WARM_UP; n++) {
      const ms = await wake(stage, service.port, Math.floor(((n + 0.5) * waiting) / (EVENTS + WARM_UP)));
      if (n >= WARM_UP) times.push(ms);
      await Bun.sleep(PAUSE_MS);
    }
    const note = { waiting, events: times.length };
    report.line("event to its execution, p50", percentile(times, 50), "ms", { note });
    report.line("event to its execution, p95", percentile(times, 95), "ms", { goal: below(50) });
    await explain(report, stage);
    await service.stop();
  });
}

/** Executions that wait, each with a timer of its own, as if they had come one by one. */
async function prepare(stage: Stage, waiting: number): Promise<void> {
  const { ctx, project } = stage;
  const { pool } = ctx;
  const workflowId = await chain(stage, "signup", [
    { type: "WAIT_FOR_EVENT", config: { eventName: "paid", timeout: 31_536_000 } },
    { type: "UPDATE_CONTACT", config: { updates: { paid: true } } },
  ]);
  await pool`
    insert into contacts (project_id, email, subscribed)
    select ${project.id}, 'user' || n || '@example.com', true from generate_series(0, ${waiting - 1}::int) as n`;
  // The first one makes the version; the others wait as it does.
  const [first] = await pool`select id from contacts where email = 'user0@example.com'`;
  const { id } = await startExecution(ctx, project.id, workflowId, { contactId: first!.id });
  await pool`delete from executions where id = ${id}`;
  await pool`delete from graphile_worker._private_jobs`;
  const [step] =
    await pool`select id from workflow_steps where workflow_id = ${workflowId} and type = 'WAIT_FOR_EVENT'`;
  await pool.begin(async (sql) => {
    await sql`set local statement_timeout = 0`;
    await sql`
      with open as (
        insert into executions (
          project_id, workflow_id, version_id, contact_id, status, current_step_id, step_execution_id, is_only, context, wake_at
        )
        select c.project_id, w.id, w.version_id, c.id, 'WAITING', ${step!.id}, uuid_v7(), true, '{"event": {}}',
          now() + interval '300 days'
        from contacts c
        join workflows w on w.project_id = c.project_id and w.id = ${workflowId}
        where c.project_id = ${project.id}
        returning project_id, id, contact_id, step_execution_id
      ),
      pages as (
        insert into step_executions (project_id, id, execution_id, step_id, status)
        select project_id, step_execution_id, id, ${step!.id}, 'WAITING' from open
      )
      insert into waits (project_id, contact_id, event_name, execution_id, step_execution_id, started_at)
      select project_id, contact_id, 'paid', id, step_execution_id, now() from open`;
    await sql`
      select graphile_worker.add_jobs(array_agg(
        row('wake_executions', json_build_object('projectId', project_id, 'executionIds', json_build_array(id)), null,
          wake_at, null, null, null, null)::graphile_worker.job_spec))
      from executions`;
  });
}

async function wake({ ctx, project }: Stage, port: number, n: number): Promise<number> {
  const [waiting] = await ctx.pool`
    select x.id from executions x
    join contacts c on c.project_id = x.project_id and c.id = x.contact_id
    where c.project_id = ${project.id} and c.email = ${`user${n}@example.com`}`;
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/v1/track`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.public}`, "content-type": "application/json" },
    body: JSON.stringify({ email: `user${n}@example.com`, event: "paid" }),
  });
  if (!response.ok) throw new Error(`Cannot track: ${await response.text()}`);
  await response.json();
  while (performance.now() - startedAt < PATIENCE_MS) {
    const [row] = await ctx.pool`
      select status from executions where project_id = ${project.id} and id = ${waiting!.id}`;
    if (row!.status === "COMPLETED") return performance.now() - startedAt;
    await Bun.sleep(1);
  }
  throw new Error(`Cannot see the execution of user${n} go on within ${PATIENCE_MS} ms`);
}

/** The plan by which waiting work is looked up, as the service has it: with nothing but indexes. */
async function explain(report: Report, { ctx, project }: Stage): Promise<void> {
  const file = new URL("waits.sql", QUERIES_DIR);
  const heard = parseStatements(readFileSync(file, "utf8"), "waits.sql").find(
    ({ name }) => name === "heard",
  )!;
  const plan = await ctx.pool.begin(async (sql) => {
    const events = await sql`
      insert into events (project_id, contact_id, name)
      select project_id, contact_id, event_name from waits where project_id = ${project.id} limit 20
      returning project_id, id`;
    await sql`set local enable_seqscan = off`;
    const text = heard.strings.map((piece, i) => piece + (heard.params[i] ? `$${i + 1}` : "")).join("");
    const values = [events.map((row) => row.projectId), events.map((row) => row.id)];
    return await sql.unsafe(
      `explain (analyze, buffers off, costs off, timing off, summary off) ${text}`,
      values,
    );
  });
  const lines = plan.map((row) => String(Object.values(row)[0]));
  const scans = lines.filter((line) => /Scan .*on waits/.test(line));
  report.line(
    "scans of the waiting that are none of an index",
    scans.filter((line) => !/Index/.test(line)).length + (scans.length === 0 ? 1 : 0),
    "scans",
    { goal: exactly(0), note: { plan: lines } },
  );
}
