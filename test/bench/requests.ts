// What the log of requests costs: POST /v1/track with the log and without, in pairs that change places, so that what the machine
// does otherwise is on both sides.
import { type LoadResult, runLoad } from "./support/http_load.ts";
import { below, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { onStage, type ServiceProcess } from "./support/stage.ts";

const CONNECTIONS = 32;
const CONTACTS = 10_000;
const BODY = JSON.stringify({ email: "user{n}@example.com", event: "page viewed", data: { plan: "pro" } });

/** How services differ, by what their figures are called. */
const SIDES = {
  /** The default: of a project with so many requests it has a sample. */
  "as it is": {},
  /** Each one is written down, which no setting that is sensible asks for. */
  "with every request": { REQUEST_LOG_PER_MINUTE: "1000000" },
};

/** One measurement: its load, and the processor time of the service for each request, in milliseconds. */
interface Measured extends LoadResult {
  cpu: number;
}

/** Runs the bench. */
export async function run(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  await onStage(async ({ project, startService }) => {
    const start = (settings: Record<string, string>) => startService({ MODE: "http", ...settings });
    const measure = async (service: ServiceProcess): Promise<Measured> => {
      const before = service.processorTime();
      const load = { path: "/v1/track", key: project.public, body: BODY, population: CONTACTS };
      const result = await runLoad({ ...load, port: service.port, connections: CONNECTIONS, seconds });
      return { ...result, cpu: ((service.processorTime() - before) * 1000) / result.requests };
    };
    const without = await start({ REQUEST_LOG_PER_MINUTE: "0" });
    for (const [side, settings] of Object.entries(SIDES)) {
      const service = await start(settings);
      // Both have compiled everything by then.
      await measure(without);
      await measure(service);
      const pairs: [Measured, Measured][] = [];
      for (let round = 0; round < rounds; round++) {
        const isFirst = round % 2 === 0;
        const one = await measure(isFirst ? service : without);
        const two = await measure(isFirst ? without : service);
        pairs.push(isFirst ? [one, two] : [two, one]);
      }
      reportPairs(report, side, pairs);
      await service.stop();
    }
    await without.stop();
  });
}

function reportPairs(report: Report, side: string, pairs: [Measured, Measured][]): void {
  const percents = (of: (one: Measured) => number) =>
    pairs.map(([withIt, without]) => (of(withIt) / of(without) - 1) * 100);
  const cost = percents(({ cpu }) => cpu);
  // The fewer requests, the dearer: the database is part of it.
  const slowing = percents(({ rate }) => 1 / rate);
  const goal = side === "as it is" ? { goal: below(2) } : {};
  const rates = (at: 0 | 1) => Math.round(median(pairs.map((pair) => pair[at].rate)));
  report.line(`processor time of the service, ${side}`, median(cost), "% more", {
    ...goal,
    note: { pairs: cost.map(short), msARequest: short(median(pairs.map(([{ cpu }]) => cpu))) },
  });
  report.line(`time of a request, ${side}`, median(slowing), "% more", {
    ...goal,
    note: { pairs: slowing.map(short), rates: { with: rates(0), without: rates(1) } },
  });
  const errors = pairs.flat().reduce((sum, one) => sum + one.errors, 0);
  report.line(`errors, ${side}`, errors, "requests", { goal: exactly(0) });
}

function short(value: number): number {
  return Math.round(value * 1000) / 1000;
}
