// Traces to an OpenTelemetry collector, where an installation asks for them. The packages are loaded only then.
import type { Context } from "../context.ts";
import { metersOf } from "../meters.ts";
import { traceWith } from "../tracing.ts";
import { type Delivered, newFailureLog } from "./_failures.ts";

/** Tracing in this process. */
export interface Telemetry {
  /** Records nothing more, and delivers what waits. It may take as long as the collector does. */
  stop(): Promise<void>;
}

/** Begins to trace, if the settings name a collector. A collector that is away delays and fails nothing: its spans are lost. */
export async function startTelemetry(ctx: Context): Promise<Telemetry | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED } = ctx.config;
  if (endpoint === undefined || OTEL_SDK_DISABLED) return null;
  const { openTracer } = await import("./_tracer.ts");
  const failures = newFailureLog(ctx);
  const on = ({ outcome, spans, error }: Delivered) => {
    metersOf(ctx).spans.inc({ outcome }, spans);
    if (outcome !== "delivered") failures.note(spans, error);
  };
  const { tracer, close } = openTracer({ ...ctx.config, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, on);
  traceWith(tracer);
  return {
    async stop() {
      traceWith(undefined);
      await close();
    },
  };
}
