// What Prometheus reads: the meters of this process, and what the database knows of all of them.
import { Gauge, Registry } from "prom-client";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { metersOf } from "../meters.ts";
import { requestsUnderway } from "../traffic.ts";

/** Nobody needs to know how far beyond it is, and counting on would take long. */
const COUNTED_UP_TO = 100_000;

/** The content type of the text format. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * The metrics in the text format of Prometheus. What the database knows stands in the answer of every process, and is
 * the same in all of them; where it cannot be asked, `postrider_database_up` is 0 and the rest is left out.
 */
export async function renderMetrics(ctx: Context): Promise<string> {
  const { registry } = metersOf(ctx);
  const [own, shared] = await Promise.all([registry.metrics(), sharedMetrics(ctx)]);
  return `${own}\n${shared}`;
}

async function sharedMetrics(ctx: Context): Promise<string> {
  const registry = new Registry();
  const gauge = gaugesOf(registry);
  gauge("requests_underway", "Requests that this process is at", [], [[{}, requestsUnderway(ctx)]]);
  const known = await ask(ctx).catch(() => null);
  gauge("database_up", "Whether the database answers", [], [[{}, known === null ? 0 : 1]]);
  if (known) addKnown(gauge, known);
  return await registry.metrics();
}

type Known = Awaited<ReturnType<typeof ask>>;

async function ask(ctx: Context) {
  const upTo = COUNTED_UP_TO;
  const [queue, givenUp, mails, workers, connections, deltas] = await Promise.all([
    q.metrics.queue(ctx, { now: ctx.now() }),
    q.metrics.givenUp(ctx),
    q.metrics.openMails(ctx, { upTo }),
    q.metrics.workers(ctx),
    q.metrics.connections(ctx),
    q.metrics.unfolded(ctx, { upTo }),
  ]);
  return { queue, givenUp, mails, workers, connections, deltas };
}

function addKnown(gauge: ReturnType<typeof gaugesOf>, known: Known): void {
  const { queue, givenUp, mails, workers, connections, deltas } = known;
  const byTask = (value: (row: (typeof queue)[number]) => number) =>
    queue.map((row): Reading => [{ task: row.task }, value(row)]);
  gauge(
    "queue_waiting",
    "Jobs that are due, by task",
    ["task"],
    byTask((row) => row.waiting),
  );
  gauge(
    "queue_running",
    "Jobs that are under way, by task",
    ["task"],
    byTask((row) => row.running),
  );
  gauge(
    "queue_age_seconds",
    "How long the oldest job that is due has been waiting",
    ["task"],
    byTask((row) => row.age),
  );
  gauge("queue_given_up", "Jobs that failed for the last time", [], [[{}, givenUp.jobs]]);
  gauge(
    "mails_open",
    `Mails that have not come to an end, by state; counted to ${COUNTED_UP_TO}`,
    ["status"],
    mails.map((row) => [{ status: row.status }, row.mails]),
  );
  gauge(
    "worker_silence_seconds",
    "How long ago a process that takes jobs was last heard of",
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
    "counter_lag_deltas",
    `What the counters have not folded yet; counted to ${COUNTED_UP_TO}`,
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
