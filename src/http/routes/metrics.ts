// For Prometheus. No limit; no key but the token of the installation, if there is one.
import { createHash, timingSafeEqual } from "node:crypto";
import { Elysia, t } from "elysia";
import { isProduction } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { METRICS_TYPE, renderMetrics } from "../../insight/metrics.ts";
import { problems } from "../../problem/mod.ts";
import { ProblemEnvelope } from "../entry/schemas.ts";

/** `GET /metrics`, in the text format of Prometheus. With `METRICS_TOKEN` it takes that as a bearer token; in production it asks for one always. */
export function metricsRoutes(ctx: Context) {
  return new Elysia().get(
    "/metrics",
    async ({ request, set }) => {
      assertMayRead(ctx, request.headers.get("authorization"));
      set.headers["content-type"] = METRICS_TYPE;
      set.headers["cache-control"] = "no-store";
      return await renderMetrics(ctx);
    },
    {
      response: { 200: t.String(), 401: ProblemEnvelope },
      detail: {
        operationId: "getMetrics",
        summary: "Metrics for Prometheus",
        description:
          "Requires `Authorization: Bearer <METRICS_TOKEN>` if that is set; closed in production if it is not.",
        tags: ["Operation"],
        security: [],
      },
    },
  );
}

function assertMayRead({ config }: Context, header: string | null): void {
  if (config.METRICS_TOKEN === undefined) {
    // They tell how much is sent and where the database stands: strangers have no business with it.
    if (isProduction(config)) throw problems.metricsClosed();
    return;
  }
  const token = /^Bearer +(\S+)$/i.exec(header?.trim() ?? "")?.[1] ?? "";
  if (!timingSafeEqual(digest(token), digest(config.METRICS_TOKEN))) throw problems.metricsTokenRequired();
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
