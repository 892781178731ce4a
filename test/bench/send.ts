// POST /v1/send: how fast mail is accepted, how soon it is on its way, and how fast a queue is delivered.
import type { BenchOptions, Report } from "./support/report.ts";
import { measureAccept } from "./send_accept.ts";
import { measureClosedLoop } from "./send_closed.ts";
import { measureDelivery } from "./send_delivery.ts";
import { measureLatency } from "./send_latency.ts";

/** Runs the bench. */
export async function run(report: Report, options: BenchOptions): Promise<void> {
  await measureAccept(report, options);
  await measureClosedLoop(report, options);
  await measureLatency(report);
  await measureDelivery(report, options);
}
