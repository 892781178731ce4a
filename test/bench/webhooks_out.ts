// Deliveries to endpoints: to a quick one, to a quick one beside a dead one with a long line, and what endpoints cost
// those who track.
import { OPERATOR } from "../../src/accounts/audit.ts";
import { createWebhook } from "../../src/automation/endpoints/mod.ts";
import { type HookSink, startHookSink } from "./support/hook_sink.ts";
import { runLoad } from "./support/http_load.ts";
import { atLeast, below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { onStage, type Stage } from "./support/stage.ts";

const EVENTS = 20_000;
/** The line of the dead endpoint; `--events 1000000` makes it as long. */
const DEAD_LINE = 200_000;
const CALLS_AT_ONCE = 10;
const ENDPOINTS = 10;
const PATIENCE_MS = 300_000;
/** Nobody listens there. */
const DEAD_URL = "http://127.0.0.1:9/";

/** Runs the bench. */
export async function run(report: Report, options: BenchOptions): Promise<void> {
  const sink = await startHookSink();
  try {
    await onStage(async (stage) => {
      await measureDeliveries(report, stage, sink, options);
      await measureTracking(report, stage, options);
    });
  } finally {
    sink.stop();
  }
}

async function measureDeliveries(
  report: Report,
  stage: Stage,
  sink: HookSink,
  { events }: BenchOptions,
): Promise<void> {
  const service = await stage.startService({ MODE: "all", ALLOW_PRIVATE_WEBHOOKS: "true" });
  await makeEndpoint(stage, sink.url);
  const ceiling = await callsByFetch(sink);
  const alone = await deliver(stage, sink);
  report.line("deliveries to a quick endpoint", alone, "deliveries/s", {
    ceiling,
    note: { goal: ">= 2,000 deliveries/s", isMet: alone >= 2_000 },
  });
  const dead = await makeEndpoint(stage, DEAD_URL);
  const line = events ?? DEAD_LINE;
  await fillLine(stage, dead, line);
  const beside = await deliver(stage, sink);
  report.line(`the same beside a dead one for which ${line} wait`, beside, "deliveries/s", {
    ceiling: alone,
    goal: atLeast(0.8),
  });
  const [left] = await stage.ctx.pool`
    select count(*)::int as count from webhook_deliveries where webhook_id = ${dead} and status <> 'PENDING'`;
  report.line("of the dead one's, ended", left!.count as number, "deliveries", { goal: exactly(0) });
  report.line("resident memory of the service", service.resident(), "MB");
  await service.stop();
  await stage.ctx.pool`delete from webhooks`;
}

/** What ten endpoints that want every event cost a request: in pairs, with them and with all of them paused. */
async function measureTracking(
  report: Report,
  stage: Stage,
  { seconds, rounds }: BenchOptions,
): Promise<void> {
  for (let n = 0; n < ENDPOINTS; n++) await makeEndpoint(stage, DEAD_URL);
  // Without jobs: what the deliveries themselves take of the machine is another matter.
  const service = await stage.startService({ MODE: "http" });
  const load = async (isEnabled: boolean) => {
    await stage.ctx.pool`
      update webhooks set enabled = ${isEnabled},
        paused_at = case when ${!isEnabled} then now() end, pause_reason = case when ${!isEnabled} then 'USER' end`;
    const result = await runLoad({
      port: service.port,
      path: "/v1/track",
      key: stage.project.public,
      body: '{"email": "user{n}@example.com", "event": "page viewed", "data": {"visits": {n}}}',
      population: 10_000,
      connections: 64,
      seconds,
    });
    return result.rate;
  };
  await load(false);
  const costs: number[] = [];
  const rates = { with: [] as number[], without: [] as number[] };
  for (let round = 0; round < rounds * 2; round++) {
    // In turn, so that what the first of a pair leaves behind helps neither.
    const first = round % 2 === 0;
    const one = await load(first);
    const other = await load(!first);
    const [busy, idle] = first ? [one, other] : [other, one];
    rates.with.push(busy);
    rates.without.push(idle);
    costs.push(100 * (1 - busy / idle));
  }
  report.line("cost of ten endpoints to POST /v1/track", median(costs), "%", {
    goal: below(2),
    note: { rates },
  });
  await service.stop();
}

async function makeEndpoint({ ctx, project }: Stage, url: string): Promise<string> {
  const input = { url, description: "", events: ["event.tracked"], eventNames: null, enabled: true };
  return (await createWebhook(ctx, project.id, input, OPERATOR)).id;
}

/** Events that the triggers note, and from the first call to the last one of them. */
async function deliver({ ctx, project }: Stage, sink: HookSink): Promise<number> {
  const before = await sink.count();
  await ctx.pool`
    insert into events (project_id, name, data)
    select ${project.id}, 'page viewed', jsonb_build_object('visits', n, 'plan', 'pro')
    from generate_series(1, ${EVENTS}::int) as n`;
  await waitFor(sink, before + 1);
  const startedAt = performance.now();
  await waitFor(sink, before + EVENTS);
  return (EVENTS * 1000) / (performance.now() - startedAt);
}

async function waitFor(sink: HookSink, wanted: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const count = await sink.count();
    if (count >= wanted) return;
    if (performance.now() > deadline) throw new Error(`Cannot see the calls: ${count} of ${wanted}`);
    await Bun.sleep(20);
  }
}

/** The same number of calls with a body of that size, ten at once, by `fetch`, which keeps its connections. */
async function callsByFetch(sink: HookSink): Promise<number> {
  const body = JSON.stringify({
    type: "event.tracked",
    data: { name: "page viewed", padding: "x".repeat(200) },
  });
  let left = EVENTS;
  const startedAt = performance.now();
  const call = async () => {
    while (left-- > 0) await (await fetch(sink.url, { method: "POST", body })).arrayBuffer();
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, call));
  return (EVENTS * 1000) / (performance.now() - startedAt);
}

/** Some at a time: no statement takes longer than those of the service may. */
const FILLED_AT_ONCE = 20_000;

async function fillLine({ ctx, project }: Stage, webhookId: string, count: number): Promise<void> {
  for (let made = 0; made < count; made += FILLED_AT_ONCE) {
    await ctx.pool`
      with made as (
        insert into webhook_messages (project_id, id, type, event_name, body, created_at)
        select ${project.id}, uuid_v7(), 'event.tracked', 'page viewed', '{"type": "event.tracked", "data": {}}', now()
        from generate_series(1, ${Math.min(FILLED_AT_ONCE, count - made)}::int)
        returning project_id, id, type, created_at
      )
      insert into webhook_deliveries (project_id, webhook_id, message_id, type, due_at, created_at)
      select project_id, ${webhookId}, id, type, created_at, created_at from made`;
  }
  await ctx.pool`analyze webhook_deliveries`;
}
