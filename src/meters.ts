// What this process measures of itself, in the words of Prometheus. What the database knows is added when it is asked for
// (`insight/metrics.ts`).
import { Counter, Histogram, Registry } from "prom-client";
import { perService } from "./context.ts";

/** In seconds: from what an answer from memory takes to what a request is ended after. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const JOB_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300];

/** The meters of a service in this process. */
export const metersOf = perService(() => {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: "postrider_request_seconds",
      help: "How long requests took, by route",
      labelNames: ["method", "route", "status"] as const,
      buckets: REQUEST_SECONDS,
      registers,
    }),
    jobs: new Histogram({
      name: "postrider_job_seconds",
      help: "How long jobs took, by task and by how they ended: done or failed",
      labelNames: ["task", "outcome"] as const,
      buckets: JOB_SECONDS,
      registers,
    }),
    requestLog: new Counter({
      name: "postrider_request_log_total",
      help: "Requests for the logs of their projects: written; left_out, because the project has too many; or dropped, because the database is away or slow",
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
