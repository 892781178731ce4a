// An OpenTelemetry collector on loopback: it takes OTLP over HTTP, as JSON or as protobuf, which it decodes by itself.
import { decodeTraces } from "./otlp_protobuf.ts";

/** A span as it came. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the first of a trace. */
  parentSpanId: string;
  name: string;
  kind: number;
  attributes: Record<string, string | number | boolean>;
  links: { traceId: string; spanId: string }[];
  /** 2: failed. */
  status: number;
}

/** What was exported at once. */
export interface ReceivedTraces {
  resource: Record<string, string | number | boolean>;
  spans: ReceivedSpan[];
}

/** A collector that runs. */
export interface OtlpReceiver {
  url: string;
  /** The headers of each request. */
  requests: Headers[];
  exports: ReceivedTraces[];
  /** All spans, in the order in which they came. */
  spans(): ReceivedSpan[];
  stop(): Promise<void>;
}

/** Starts a collector; `answer` is what it does in place of taking spans: never resolving is one way. */
export function startOtlpReceiver(answer?: (request: Request) => Promise<Response>): OtlpReceiver {
  const requests: Headers[] = [];
  const exports: ReceivedTraces[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      requests.push(request.headers);
      if (answer) return await answer(request);
      if (new URL(request.url).pathname !== "/v1/traces") return new Response(null, { status: 404 });
      const isJson = request.headers.get("content-type") === "application/json";
      exports.push(...(isJson ? fromJson(await request.json()) : decodeTraces(await request.bytes())));
      return new Response(null, { status: 200 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    exports,
    spans: () => exports.flatMap(({ spans }) => spans),
    stop: () => server.stop(true),
  };
}

interface JsonValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
}

type JsonAttributes = { key: string; value: JsonValue }[];

interface JsonTraces {
  resourceSpans: {
    resource: { attributes: JsonAttributes };
    scopeSpans: {
      spans: (Omit<ReceivedSpan, "attributes" | "links" | "status"> & {
        attributes?: JsonAttributes;
        links?: ReceivedSpan["links"];
        status?: { code?: number };
      })[];
    }[];
  }[];
}

function fromJson(given: unknown): ReceivedTraces[] {
  return (given as JsonTraces).resourceSpans.map(({ resource, scopeSpans }) => ({
    resource: valuesOf(resource.attributes),
    spans: scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = "", name, kind, attributes, links, status }) => ({
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        attributes: valuesOf(attributes),
        links: (links ?? []).map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
        status: status?.code ?? 0,
      })),
    ),
  }));
}

function valuesOf(attributes: JsonAttributes = []): ReceivedSpan["attributes"] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, boolValue, doubleValue, intValue } }) => [
      key,
      stringValue ?? boolValue ?? doubleValue ?? Number(intValue),
    ]),
  );
}
