// Spans by the packages of OpenTelemetry: made, sampled, and kept until the collector has them, or until there is no room.
import { ROOT_CONTEXT, type SpanContext, SpanKind, trace } from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { type Config, keyValues } from "../config/mod.ts";
import type { SpanOptions, Tracer } from "../tracing.ts";
import { VERSION } from "../version.ts";
import { type Collector, newExporter } from "./_exporter.ts";
import type { Delivered } from "./_failures.ts";

/** Spans that are kept at once, of some KB each. */
const MAX_SPANS = 2_048;
const BATCH = 512;
const DELAY_MS = 2_000;
/** Of a longer text the rest is left out; a group of requests has 500 at most. */
const LIMITS = {
  attributeValueLengthLimit: 500,
  attributeCountLimit: 32,
  linkCountLimit: 500,
  eventCountLimit: 0,
};

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

/** Opens what makes spans. `close` delivers what is left. */
export function openTracer(
  config: Collector & Config,
  on: (delivered: Delivered) => void,
): { tracer: Tracer; close: () => Promise<void> } {
  const queue = newQueue(config, on);
  const shared = { resource: resourceOf(config), spanLimits: LIMITS, spanProcessors: [queue] };
  const mayBegin = () => {
    if (queue.hasRoom()) return true;
    on({ outcome: "skipped", spans: 1, error: NO_ROOM });
    return false;
  };
  const sampler = gated(samplerOf(config), mayBegin);
  const share = shareOf(config);
  // Whether there is a trace is decided where it begins; what belongs to it is recorded.
  const [beginning, belonging] = [sampler, new AlwaysOnSampler()].map((own) =>
    new TracerProvider({ ...shared, sampler: own }).getTracer("postrider", VERSION),
  ) as [ReturnType<TracerProvider["getTracer"]>, ReturnType<TracerProvider["getTracer"]>];
  const record = (name: string, options: SpanOptions) =>
    belonging.startSpan(name, optionsOf(options), parentOf(options));
  return {
    tracer: {
      begin(name, options) {
        // Before anything is made: ids and samplers of the packages cost some microseconds for each request that is not sampled.
        if (options.parent === undefined) {
          return Math.random() < share && mayBegin() ? record(name, options) : undefined;
        }
        const span = beginning.startSpan(name, optionsOf(options), parentOf(options));
        return span.isRecording() ? span : undefined;
      },
      record,
      read: (traceparent) => (traceparent ? (parseTraceParent(traceparent) ?? undefined) : undefined),
    },
    close: () => queue.shutdown(),
  };
}

function optionsOf({ kind, attributes: given, links }: SpanOptions) {
  const attributes = typeof given === "function" ? given() : given;
  return {
    kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
    ...(attributes && { attributes }),
    ...(links && { links: links.map((context) => ({ context })) }),
  };
}

function parentOf({ parent }: SpanOptions) {
  return parent ? trace.setSpanContext(ROOT_CONTEXT, remote(parent)) : ROOT_CONTEXT;
}

function remote(parent: SpanContext): SpanContext {
  return parent.isRemote === undefined ? { ...parent, isRemote: false } : parent;
}

function resourceOf(config: Config) {
  return defaultResource().merge(
    resourceFromAttributes({
      "service.version": VERSION,
      "service.instance.id": crypto.randomUUID(),
      ...keyValues(config.OTEL_RESOURCE_ATTRIBUTES),
      "service.name":
        config.OTEL_SERVICE_NAME ??
        keyValues(config.OTEL_RESOURCE_ATTRIBUTES)?.["service.name"] ??
        "postrider",
    }),
  );
}

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Config): Sampler {
  const root = name.endsWith("always_on")
    ? new AlwaysOnSampler()
    : name.endsWith("always_off")
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

/** How many in one of the traces that nobody has asked for are recorded. */
function shareOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Config): number {
  return name.endsWith("always_on") ? 1 : name.endsWith("always_off") ? 0 : ratio;
}

const NO_ROOM = "spans come faster than the collector takes them";

/** Half a trace is worth less than none: while there is little room, none begins. */
function gated(sampler: Sampler, mayBegin: () => boolean): Sampler {
  return {
    shouldSample(...asked) {
      const result = sampler.shouldSample(...asked);
      if (result.decision === SamplingDecision.NOT_RECORD || mayBegin()) return result;
      return { decision: SamplingDecision.NOT_RECORD };
    },
    toString: () => sampler.toString(),
  };
}

/** Keeps spans until they are with the collector: so many and no more, whatever it does. */
function newQueue(
  config: Collector,
  on: (delivered: Delivered) => void,
): SpanProcessor & { hasRoom(): boolean } {
  let kept = 0;
  const exporter = newExporter(config, (delivered) => {
    kept -= delivered.spans;
    on(delivered);
  });
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MAX_SPANS,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: DELAY_MS,
    // Each export ends by itself, before that.
    exportTimeoutMillis: config.OTEL_EXPORTER_OTLP_TIMEOUT + 5_000,
  });
  return {
    hasRoom: () => kept < MAX_SPANS / 2,
    onStart() {},
    onEnd(span: ReadableSpan) {
      if (kept >= MAX_SPANS) return on({ outcome: "dropped", spans: 1, error: NO_ROOM });
      kept += 1;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
