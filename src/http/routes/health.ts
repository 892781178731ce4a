// For whatever monitors the container. No key, no limit.
import { Elysia, t } from "elysia";
import { answers } from "../entry/schemas.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { readiness } from "../../sending/readiness.ts";
import { metricsRoutes } from "./metrics.ts";
import { problemResponses } from "../entry/problems.ts";
import { transportHeaders } from "../entry/transport.ts";

/** The response of a process that takes jobs and serves nothing else. */
export function createHealthApp(ctx: Context, { isStarting = false } = {}) {
  return new Elysia()
    .headers(transportHeaders(ctx.config))
    .use(problemResponses(() => []))
    .use(healthRoutes(ctx, { isStarting }))
    .use(metricsRoutes(ctx));
}

/** The response of a process that is still waiting for its database. */
export function createWaitingApp(ctx: Context) {
  return createHealthApp(ctx, { isStarting: true }).all("/*", () => {
    throw problems.unavailable();
  });
}

const Readiness = t.Object(
  {
    ready: t.Boolean(),
    database: t.Boolean(),
    migrations: t.Boolean(),
    workers: t.Boolean(),
    note: t.Optional(
      t.String({
        description:
          "What the operator should know: that the database does not answer, or although all works, such as that " +
          "mails are captured.",
      }),
    ),
    standing: t.Array(t.String(), {
      description: "Queues that are stalled although jobs are due.",
    }),
  },
  { title: "Readiness" },
);

/** `GET /health`: the process is alive. `GET /ready`: it can do its work, which one that `isStarting` cannot yet. */
export function healthRoutes(ctx: Context, { isStarting = false } = {}) {
  return new Elysia()
    .get("/health", () => ({ status: "ok" as const }), {
      response: answers(t.Object({ status: t.Literal("ok") }), { refusals: [400], isOpen: true }),
      detail: {
        operationId: "getHealth",
        summary: "Whether the process is alive",
        description: "200 as long as the process responds. Needs no database.",
        tags: ["Operation"],
        security: [],
      },
    })
    .get(
      "/ready",
      async ({ set }) => {
        const state = await readiness(ctx);
        const ready = state.ready && !isStarting;
        if (!ready) set.status = 503;
        return { ...state, ready };
      },
      {
        response: {
          ...answers(Readiness, { refusals: [400], isOpen: true }),
          503: Readiness,
        },
        detail: {
          operationId: "getReadiness",
          summary: "Whether the service can do its work",
          description:
            "200 if the database responds, no migration is pending, a process runs jobs, and no queue is stalled; otherwise 503 with what is missing.",
          tags: ["Operation"],
          security: [],
        },
      },
    );
}
