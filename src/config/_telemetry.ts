// The settings of traces, by the names and values that OpenTelemetry gives them.
import { Type as t } from "@sinclair/typebox";

/** A part of the schema of the settings. */
export const OF_TELEMETRY = {
  OTEL_EXPORTER_OTLP_ENDPOINT: t.Optional(
    t.String({
      pattern: "^https?://[^\\s?#]+$",
      expected: "an address such as http://collector:4318",
      description:
        "An OpenTelemetry collector that takes OTLP over HTTP, such as `http://collector:4318`: traces go to `<address>/v1/traces` ([Traces](operating.md#traces)). Left out: nothing is traced.",
    }),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: t.Union([t.Literal("http/protobuf"), t.Literal("http/json")], {
    default: "http/protobuf",
    description: "`http/protobuf` or `http/json`.",
  }),
  OTEL_EXPORTER_OTLP_HEADERS: t.String({
    default: "",
    secret: true,
    description:
      "Headers for the collector, such as `authorization=Bearer%20token`, separated by commas; values are percent-encoded.",
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: t.Integer({
    minimum: 1,
    maximum: 600_000,
    default: 10_000,
    description: "Milliseconds that the collector has to take spans; after that they are lost.",
  }),
  OTEL_SERVICE_NAME: t.Optional(
    t.String({
      description:
        "The service's name in traces. Left out: `service.name` of `OTEL_RESOURCE_ATTRIBUTES`, or `postrider`.",
    }),
  ),
  OTEL_RESOURCE_ATTRIBUTES: t.String({
    default: "",
    description:
      "What traces say about this process, such as `deployment.environment.name=production,service.namespace=mail`; values are percent-encoded.",
  }),
  OTEL_TRACES_SAMPLER: t.Union(
    [
      t.Literal("always_on"),
      t.Literal("always_off"),
      t.Literal("traceidratio"),
      t.Literal("parentbased_always_on"),
      t.Literal("parentbased_always_off"),
      t.Literal("parentbased_traceidratio"),
    ],
    {
      default: "parentbased_always_on",
      description:
        "Which requests and jobs are traced: `always_on`, `always_off`, `traceidratio`, or one of them with `parentbased_` before it, where a caller that sends `traceparent` decides. Use `traceidratio` where callers should not.",
    },
  ),
  OTEL_TRACES_SAMPLER_ARG: t.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    description: "Of `traceidratio`: the share that is traced, such as 0.01.",
  }),
  OTEL_SDK_DISABLED: t.Boolean({
    default: false,
    description: "Whether nothing is traced, whatever the other settings say.",
  }),
};

/** Reads `key=value` pairs as OpenTelemetry writes them. Null for what cannot be read. */
export function keyValues(text: string): Record<string, string> | null {
  const pairs: Record<string, string> = {};
  for (const item of text.split(",").filter((part) => part.trim() !== "")) {
    const [, key, value] = /^\s*([^\s=;]+)\s*=(.*)$/.exec(item) ?? [];
    if (key === undefined) return null;
    try {
      pairs[key] = decodeURIComponent(value!.trim());
    } catch {
      return null;
    }
  }
  return pairs;
}

/** What the schema cannot tell. Values are not repeated: a header may hold a token. */
export function wrongInTelemetry(settings: {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  OTEL_EXPORTER_OTLP_HEADERS: string;
  OTEL_RESOURCE_ATTRIBUTES: string;
}): string[] {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  const lines: string[] = [];
  if (endpoint !== undefined && !URL.canParse(endpoint)) {
    lines.push("OTEL_EXPORTER_OTLP_ENDPOINT: expected an address such as http://collector:4318");
  }
  if (!areHeaders(keyValues(headers))) {
    lines.push(
      "OTEL_EXPORTER_OTLP_HEADERS: expected headers such as authorization=Bearer%20token, separated by commas",
    );
  }
  if (keyValues(settings.OTEL_RESOURCE_ATTRIBUTES) === null) {
    lines.push(
      "OTEL_RESOURCE_ATTRIBUTES: expected pairs such as service.namespace=mail, separated by commas, with % as %25",
    );
  }
  return lines;
}

function areHeaders(pairs: Record<string, string> | null): boolean {
  try {
    return pairs !== null && new Headers(pairs) instanceof Headers;
  } catch {
    return false;
  }
}
