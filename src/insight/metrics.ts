// What Prometheus reads: the meters of this process, and what the database knows of all of them.
import { Gauge, Registry } from "prom-client";
import { type Context, perService } from "../context.ts";
import { poolUse } from "../db/pool.ts";
import { q } from "../db/queries.ts";
import { metersOf, processMetrics } from "../meters.ts";
import { requestsUnderway } from "../traffic.ts";

/** The exact excess is of no use, and counting on would take long. */
const COUNTED_UP_TO = 100_000;

/** Shorter than Prometheus waits: what is known by then is reported. */
const PATIENCE_MS = 3_000;

/** The content type of the text format. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * The metrics in the text format of Prometheus. Those from the database are in the response of every process, and the
 * same in all; if it does not respond within 3 seconds `postrider_database_up` is 0, and what is missing is left
 * out.
 */
export async function renderMetrics(ctx: Context): Promise<string> {
  const { registry } = metersOf(ctx);
  const parts = [registry.metrics(), processMetrics().metrics(), sharedMetrics(ctx)];
  return (await Promise.all(parts)).join("\n");
}

async function sharedMetrics(ctx: Context): Promise<string> {
  const registry = new Registry();
  const gauge = gaugesOf(registry);
  gauge("requests_underway", "Requests that this process is working on", [], [[{}, requestsUnderway(ctx)]]);
  const use = poolUse(ctx.pool);
  gauge("pool_size", "Size of this process's connection pool for statements", [], [[{}, use.size]]);
  gauge(
    "pool_underway",
    "Statements and transactions of this process that want a connection or have one; those beyond the size wait",
    [],
    [[{}, use.underway]],
  );
  gauge(
    "direct_tls_failures",
    "Connections to servers of recipients that could not be encrypted as they should, since this process began, by provider",
    ["provider"],
    [...(ctx.tlsFailures?.counts ?? [])].map(([provider, count]) => [{ provider }, count]),
  );
  const { known, isAll } = await answersOf(ctx);
  gauge("database_up", "Whether the database answers in time", [], [[{}, isAll ? 1 : 0]]);
  addKnown(gauge, known);
  return await registry.metrics();
}

const QUESTIONS = {
  queue: (ctx: Context) => q.metrics.queue(ctx, { now: ctx.now() }),
  givenUp: (ctx: Context) => q.metrics.givenUp(ctx),
  mails: (ctx: Context) => q.metrics.openMails(ctx, { upTo: COUNTED_UP_TO }),
  workers: (ctx: Context) => q.metrics.workers(ctx),
  connections: (ctx: Context) => q.metrics.connections(ctx),
  alerts: (ctx: Context) => q.deliverabilityAlerts.countOpen(ctx),
  deltas: (ctx: Context) => q.metrics.notRolledUp(ctx, { upTo: COUNTED_UP_TO }),
};

type Answers = { [Name in keyof typeof QUESTIONS]: Awaited<ReturnType<(typeof QUESTIONS)[Name]>> };
type Known = Partial<Answers>;

/** The database queries in progress: what has been answered so far, and whether the last round was complete. */
interface Asking {
  known: Known;
  done: Promise<boolean>;
}

// Where the pool is busy or the database slow, scrapes wait for the questions that are in progress instead of adding to them.
const askingsOf = perService(() => ({ current: null as Asking | null }));

async function answersOf(ctx: Context): Promise<{ known: Known; isAll: boolean }> {
  const askings = askingsOf(ctx);
  const asking = (askings.current ??= ask(ctx, () => (askings.current = null)));
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), PATIENCE_MS);
  const isAll = await Promise.race([asking.done, late]);
  clearTimeout(timer);
  return { known: asking.known, isAll };
}

function ask(ctx: Context, onEnd: () => void): Asking {
  const known: Record<string, unknown> = {};
  const answers = Object.entries(QUESTIONS).map(async ([name, question]) => {
    known[name] = await question(ctx);
  });
  const done = Promise.allSettled(answers).then((all) => {
    onEnd();
    return all.every(({ status }) => status === "fulfilled");
  });
  return { known, done };
}

function addKnown(gauge: ReturnType<typeof gaugesOf>, known: Known): void {
  const { queue = [], givenUp, mails = [], workers = [], connections = [], alerts = [], deltas = [] } = known;
  const byTask = (value: (row: Answers["queue"][number]) => number) =>
    queue.map((row): Reading => [{ task: row.task }, value(row)]);
  gauge(
    "queue_waiting",
    "Jobs that are due, by task",
    ["task"],
    byTask((row) => row.waiting),
  );
  gauge(
    "queue_running",
    "Jobs that are running, by task",
    ["task"],
    byTask((row) => row.running),
  );
  gauge(
    "queue_age_seconds",
    "How long the oldest job that is due has been waiting",
    ["task"],
    byTask((row) => row.age),
  );
  // A gauge without labels and without a value would say 0.
  if (givenUp) gauge("queue_given_up", "Jobs that failed for the last time", [], [[{}, givenUp.jobs]]);
  gauge(
    "mails_open",
    `Mails without a final state, by state; counted up to ${COUNTED_UP_TO}`,
    ["status"],
    mails.map((row) => [{ status: row.status }, row.mails]),
  );
  gauge(
    "worker_silence_seconds",
    "Seconds since the last heartbeat of a process that takes jobs",
    ["worker", "host"],
    workers.map((row) => [{ worker: row.id, host: row.host }, row.silence]),
  );
  gauge(
    "connections",
    "Connections to the database, by pool and state",
    ["pool", "state"],
    connections.map((row) => [{ pool: row.pool, state: row.state }, row.connections]),
  );
  gauge(
    "deliverability_alerts",
    "Open alerts about bounces, complaints and deferrals, of all projects",
    ["kind"],
    alerts.map((row) => [{ kind: row.kind }, row.alerts]),
  );
  gauge(
    "counter_lag_deltas",
    `Deltas not yet rolled up into counters; counted up to ${COUNTED_UP_TO}`,
    ["counter"],
    deltas.map((row) => [{ counter: row.counter }, row.deltas]),
  );
}

type Reading = [labels: Record<string, string>, value: number];

/** Makes gauges that are read once. */
function gaugesOf(registry: Registry) {
  return (name: string, help: string, labelNames: string[], readings: Reading[]): void => {
    const gauge = new Gauge({ name: `postrider_${name}`, help, labelNames, registers: [registry] });
    for (const [labels, value] of readings) gauge.set(labels, value);
  };
}
