// What this process measures of itself, in the words of Prometheus. What the database knows is added when it is asked for
// (`insight/metrics.ts`). All of it stays below 400 series whatever is called: there are hundreds of routes, so they are counted by
// area, and the log has each of them.
import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";
import { perService } from "./context.ts";

/** In seconds: from what an answer from memory takes to what a request is ended after. */
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10];

/** Of the metrics of the runtime those that say something here: it has no others of its own. */
const OF_PROCESS =
  /^(process_(cpu_seconds_total|start_time_seconds|resident_memory_bytes|open_fds|max_fds)|nodejs_(heap_size_used_bytes|eventloop_lag_(p99|mean)_seconds))$/;

let ofProcess: Registry | undefined;

/** What the runtime says of this process: memory, processor time, files, and how long work has to wait for its turn. */
export function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) {
    if (!OF_PROCESS.test(name)) registry.removeSingleMetric(name);
  }
  return (ofProcess = registry);
}

/** The meters of a service in this process. */
export const metersOf = perService(() => {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: "postrider_request_seconds",
      help: "How long requests took, by method",
      labelNames: ["method"] as const,
      buckets: REQUEST_SECONDS,
      registers,
    }),
    answers: new Counter({
      name: "postrider_requests_total",
      help: "Requests that were answered, by status",
      labelNames: ["status"] as const,
      registers,
    }),
    areas: new Counter({
      name: "postrider_area_requests_total",
      help: "Requests by the first part of their path, and by how they ended: done, refused or failed",
      labelNames: ["area", "outcome"] as const,
      registers,
    }),
    areaSeconds: new Counter({
      name: "postrider_area_seconds_total",
      help: "How long requests took in all, by the first part of their path",
      labelNames: ["area"] as const,
      registers,
    }),
    ended: new Counter({
      name: "postrider_jobs_total",
      help: "Jobs by task and by how they ended: done; failed; or left, to a later one of the crontab that does the same",
      labelNames: ["task", "outcome"] as const,
      registers,
    }),
    jobSeconds: new Counter({
      name: "postrider_job_seconds_total",
      help: "How long jobs took in all, by task",
      labelNames: ["task"] as const,
      registers,
    }),
    requestLog: new Counter({
      name: "postrider_request_log_total",
      help: "Requests for the logs of their projects: written; left_out, because the project has too many; or dropped, because the database is away or slow",
      labelNames: ["outcome"] as const,
      registers,
    }),
    spans: new Counter({
      name: "postrider_spans_total",
      help: "Spans for the OpenTelemetry collector: delivered; failed, because it has not taken them; dropped, for lack of room; skipped, traces that were not begun for lack of room",
      labelNames: ["outcome"] as const,
      registers,
    }),
    mails: new Counter({
      name: "postrider_mails_total",
      help: "Attempts to send a mail, by what came of them; PENDING: it is tried again",
      labelNames: ["outcome"] as const,
      registers,
    }),
  };
});
