// What traces cost: POST /v1/track and POST /v1/send with one request in a hundred traced and without any, in pairs that change
// places, so that what the machine does otherwise is on both sides.
import { type LoadResult, runLoad } from "./support/http_load.ts";
import { below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { DOMAIN, onStage, type ServiceProcess } from "./support/stage.ts";

const CONNECTIONS = 32;
const CONTACTS = 10_000;

const BODIES = {
  "/v1/track": { email: "user{n}@example.com", event: "page viewed", data: { plan: "pro" } },
  "/v1/send": {
    to: "user{n}@example.com",
    from: `orders@${DOMAIN}`,
    subject: "Your order",
    body: "<p>Your order is on its way.</p>",
  },
};

type Path = keyof typeof BODIES;

/** One measurement: its load, and the processor time of the service for each request, in milliseconds. */
interface Measured extends LoadResult {
  cpu: number;
}

/** Runs the bench. */
export async function run(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  let spanBytes = 0;
  const collector = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      spanBytes += (await request.bytes()).length;
      return new Response();
    },
  });
  await onStage(async ({ project, startService }) => {
    const start = (settings: Record<string, string>) => startService({ MODE: "http", ...settings });
    const measure = async (service: ServiceProcess, path: Path): Promise<Measured> => {
      const before = service.processorTime();
      const key = path === "/v1/track" ? project.public : project.secret;
      const load = { path, key, body: JSON.stringify(BODIES[path]), population: CONTACTS };
      const result = await runLoad({ ...load, port: service.port, connections: CONNECTIONS, seconds });
      return { ...result, cpu: ((service.processorTime() - before) * 1000) / result.requests };
    };
    const without = await start({});
    const service = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.01",
    });
    const idle = { with: service.resident(), without: without.resident() };
    for (const path of Object.keys(BODIES) as Path[]) {
      // Both have compiled everything by then.
      await measure(without, path);
      await measure(service, path);
      const pairs: [Measured, Measured][] = [];
      for (let round = 0; round < rounds; round++) {
        const isFirst = round % 2 === 0;
        const one = await measure(isFirst ? service : without, path);
        const two = await measure(isFirst ? without : service, path);
        pairs.push(isFirst ? [one, two] : [two, one]);
      }
      reportPairs(report, path, pairs);
    }
    report.line("resident memory before the first request, with traces", idle.with - idle.without, "MB more");
    await service.stop();
    await without.stop();
  });
  await collector.stop(true);
  if (spanBytes === 0) throw new Error("Cannot tell what traces cost: the collector has received none");
}

function reportPairs(report: Report, path: Path, pairs: [Measured, Measured][]): void {
  const percents = (of: (one: Measured) => number) =>
    pairs.map(([withIt, without]) => (of(withIt) / of(without) - 1) * 100);
  const cost = percents(({ cpu }) => cpu);
  // The fewer requests, the dearer: the database is part of it.
  const slowing = percents(({ rate }) => 1 / rate);
  const rates = (at: 0 | 1) => Math.round(median(pairs.map((pair) => pair[at].rate)));
  report.line(`${path}: processor time of the service, 1 in 100 traced`, median(cost), "% more", {
    goal: below(3),
    note: { pairs: cost.map(short), msARequest: short(median(pairs.map(([{ cpu }]) => cpu))) },
  });
  report.line(`${path}: time of a request, 1 in 100 traced`, median(slowing), "% more", {
    goal: below(3),
    note: { pairs: slowing.map(short), rates: { with: rates(0), without: rates(1) } },
  });
  const errors = pairs.flat().reduce((sum, one) => sum + one.errors, 0);
  report.line(`${path}: errors`, errors, "requests", { goal: exactly(0) });
}

function short(value: number): number {
  return Math.round(value * 1000) / 1000;
}
