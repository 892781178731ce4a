// Events by the track endpoint at 64 connections, each of which starts a workflow of three steps.
import { type LoadResult, runLoad } from "./support/http_load.ts";
import { atLeast, type BenchOptions, exactly, type Report } from "./support/report.ts";
import { startSinkProcess } from "./support/smtp_sink.ts";
import { onStage, type Stage } from "./support/stage.ts";
import { chain, greeting } from "./support/workflows.ts";

const CONNECTIONS = 64;
const CONTACTS = 200_000;
const EVENTS = 100_000;
/** The track endpoint alone is measured before and afterwards: the machine is not the same from one minute to the next. */
const ALONE_SLICES = 2;
const SLICE_SECONDS = 4;
const PATIENCE_MS = 600_000;

/** From the first event to the last execution that has ended, mails and all. */
export async function measureRuns(report: Report, { contacts, events }: BenchOptions): Promise<void> {
  const wanted = events ?? EVENTS;
  const population = contacts ?? CONTACTS;
  const sink = await startSinkProcess();
  try {
    await onStage(async (stage) => {
      await prepare(stage, population);
      const service = await stage.startService({ MODE: "all", SMTP_URL: `smtp://127.0.0.1:${sink.port}` });
      const load = (event: string) =>
        runLoad({
          port: service.port,
          path: "/v1/track",
          key: stage.project.public,
          body: `{"email": "user{n}@example.com", "event": "${event}", "data": {"visits": {n}}}`,
          population,
          connections: CONNECTIONS,
          seconds: SLICE_SECONDS,
        });
      const alone: LoadResult[] = [];
      const measureAlone = async () => {
        for (let slice = 0; slice < ALONE_SLICES; slice++) alone.push(await load("page viewed"));
      };
      await measureAlone();
      const startedAt = performance.now();
      const busy: LoadResult[] = [];
      for (let made = 0; made < wanted; made += busy.at(-1)!.requests) busy.push(await load("signup"));
      const tracked = await countOf(stage, "select count(*) from events where name = 'signup'");
      const meanwhile = await countOf(
        stage,
        "select count(*) from executions where completed_at is not null",
      );
      const endedAt = await waitFor("the executions", tracked, () =>
        countOf(stage, "select count(*) from executions where completed_at is not null"),
      );
      const seconds = (endedAt - startedAt) / 1000;
      const mailedAt = await waitFor("the mails", tracked, () =>
        countOf(stage, "select count(*) from emails where status = 'SENT'"),
      );
      await measureAlone();
      const [histories] = await stage.ctx.pool`
        select count(*)::int as wrong from (
          select from executions x
          join step_executions s on s.project_id = x.project_id and s.execution_id = x.id
          group by x.id, x.status having x.status <> 'COMPLETED' or count(*) <> 4
        ) as wrong`;
      report.line("executions, from the first event to the last end", tracked / seconds, "executions/s", {
        goal: atLeast(1_000),
        note: { executions: tracked, endedWhileTracking: meanwhile },
      });
      report.line(
        "the same, until the last mail has left",
        (tracked * 1000) / (mailedAt - startedAt),
        "executions/s",
      );
      const rateOf = (results: LoadResult[]) => mean(results.map((result) => result.rate));
      const p99Of = (results: LoadResult[]) => mean(results.map((result) => result.p99));
      report.line("track meanwhile", rateOf(busy), "requests/s", {
        ceiling: rateOf(alone),
        goal: atLeast(0.75),
        note: {
          alone: alone.map(({ rate }) => Math.round(rate)),
          busy: busy.map(({ rate }) => Math.round(rate)),
        },
      });
      report.line("track p99 meanwhile", p99Of(busy), "ms", { note: { alone: p99Of(alone) } });
      const errors = [...alone, ...busy].reduce((sum, result) => sum + result.errors, 0);
      report.line("track errors", errors, "requests", { goal: exactly(0) });
      report.line("executions that went another way", histories!.wrong, "executions", { goal: exactly(0) });
      report.line("resident memory of the service", service.resident(), "MB");
      await service.stop();
    });
  } finally {
    sink.stop();
  }
}

async function prepare(stage: Stage, population: number): Promise<void> {
  const { ctx, project } = stage;
  await ctx.pool`
    insert into contacts (project_id, email, subscribed, data)
    select ${project.id}, 'user' || n || '@example.com', true, '{"plan": "pro", "firstName": "Ada"}'
    from generate_series(0, ${population - 1}::int) as n`;
  const templateId = await greeting(stage);
  await chain(
    stage,
    "signup",
    [
      { type: "CONDITION", config: { field: "data.plan", operator: "equals", value: "pro" } },
      { type: "UPDATE_CONTACT", config: { updates: { welcomed: true } }, after: "yes" },
      { type: "SEND_EMAIL", config: {}, templateId },
    ],
    { allowReentry: true },
  );
  await ctx.pool`vacuum analyze contacts`;
}

async function countOf({ ctx }: Stage, statement: string): Promise<number> {
  const [row] = await ctx.pool.unsafe(statement);
  return Number(row!.count);
}

/** Waits until so many are there; answers when. Looked at seldom: looking costs too. */
async function waitFor(what: string, wanted: number, count: () => Promise<number>): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await count();
    if (found >= wanted) return performance.now();
    if (performance.now() > deadline) throw new Error(`Cannot see ${what}: ${found} of ${wanted}`);
    await Bun.sleep(250);
  }
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
