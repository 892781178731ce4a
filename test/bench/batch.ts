// POST /v1/send/batch: how fast messages are accepted by the hundred, against /v1/send one by one in the same run.
import { runLoad } from "./support/http_load.ts";
import { atLeast, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { DOMAIN, onStage } from "./support/stage.ts";

/** As many as the command line of the process that sends them can hold. */
const MESSAGES = 400;
/** Times the messages of a request: so many contacts. */
const POPULATION = 100;
const HTML = "<p>Hello,</p><p>your order is on its way. You will hear from us when it has arrived.</p>";

const message = (to: string) => ({ to, from: `orders@${DOMAIN}`, subject: "Your order {n}", body: HTML });
const SINGLE = JSON.stringify(message("user{n}x0@example.com"));
const MANY = Array.from({ length: MESSAGES }, (_, i) => message(`user{n}x${i}@example.com`));

/** Runs the bench, while no worker runs: only the accepting is measured. */
export async function run(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  await onStage(async ({ project, startService }) => {
    const service = await startService({ MODE: "http" });
    const base = { port: service.port, key: project.secret, seconds };
    const batch = (atomic: boolean) => ({
      ...base,
      path: "/v1/send/batch",
      body: JSON.stringify({ messages: MANY, atomic }),
      population: POPULATION,
      connections: 2,
    });
    const single = {
      ...base,
      path: "/v1/send",
      body: SINGLE,
      population: POPULATION * MESSAGES,
      connections: 64,
    };
    const found = { single: [] as number[], each: [] as number[], atomic: [] as number[] };
    const latencies: number[] = [];
    let errors = 0;
    for (let round = 0; round < rounds; round++) {
      const [one, each, atomic] = [
        await runLoad(single),
        await runLoad(batch(false)),
        await runLoad(batch(true)),
      ];
      found.single.push(one.rate);
      found.each.push(each.rate * MESSAGES);
      found.atomic.push(atomic.rate * MESSAGES);
      latencies.push(each.p50);
      errors += one.errors + each.errors + atomic.errors;
    }
    report.line("batch, each message by itself", median(found.each), "messages/s", {
      ceiling: found.single,
      goal: atLeast(1),
    });
    report.line("batch, atomic", median(found.atomic), "messages/s", {
      ceiling: found.single,
      goal: atLeast(1),
    });
    report.line(`a batch of ${MESSAGES}, p50`, median(latencies), "ms");
    report.line("batch errors", errors, "requests", { goal: exactly(0) });
    report.line("resident memory of MODE=http", service.resident(), "MB");
    await service.stop();
  });
}
