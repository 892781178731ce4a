// Hands spans to the collector by OTLP over HTTP. Of its answer only the status is read, as it may be anything.
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { type Config, keyValues } from "../config/mod.ts";
import type { Delivered } from "./_failures.ts";

/** Where spans go. */
export type Collector = Pick<
  Config,
  "OTEL_EXPORTER_OTLP_PROTOCOL" | "OTEL_EXPORTER_OTLP_HEADERS" | "OTEL_EXPORTER_OTLP_TIMEOUT"
> & { OTEL_EXPORTER_OTLP_ENDPOINT: string };

/** Answers after which it is asked again (OTLP: “retryable”). */
const RETRYABLE = new Set([429, 502, 503, 504]);
const FIRST_PAUSE_MS = 500;

/**
 * An exporter that never fails: `on` is told once what became of the spans of each export. Its end waits for those under way, as
 * the queue of the package asks for what it still holds and not for what it has handed over.
 */
export function newExporter(collector: Collector, on: (delivered: Delivered) => void): SpanExporter {
  const isJson = collector.OTEL_EXPORTER_OTLP_PROTOCOL === "http/json";
  const serializer = isJson ? JsonTraceSerializer : ProtobufTraceSerializer;
  const request = {
    url: `${collector.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, "")}/v1/traces`,
    headers: {
      ...keyValues(collector.OTEL_EXPORTER_OTLP_HEADERS),
      "content-type": isJson ? "application/json" : "application/x-protobuf",
    },
  };
  const deliver = async (spans: ReadableSpan[]): Promise<Delivered> => {
    try {
      const body = serializer.serializeRequest(spans)! as Uint8Array<ArrayBuffer>;
      await post({ ...request, body }, performance.now() + collector.OTEL_EXPORTER_OTLP_TIMEOUT);
      return { outcome: "delivered", spans: spans.length };
    } catch (error) {
      return { outcome: "failed", spans: spans.length, error: (error as Error).message };
    }
  };
  const underWay = new Set<Promise<void>>();
  const allEnded = async () => {
    await Promise.all(underWay);
  };
  return {
    export(spans, done) {
      const ended = deliver(spans).then((delivered) => {
        underWay.delete(ended);
        on(delivered);
        done({ code: 0 });
      });
      underWay.add(ended);
    },
    forceFlush: allEnded,
    shutdown: allEnded,
  };
}

interface Post {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

/** Posts until it is taken, refused for good, or the time is over. Throws with the reason, as a whole sentence. */
async function post(request: Post, endsAt: number): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    const reason = await postOnce(request, endsAt - performance.now());
    if (reason === null) return;
    if (!reason.isPassing || performance.now() + pauseMs > endsAt) throw new Error(reason.text);
    await Bun.sleep(pauseMs);
  }
}

/** Null when it was taken. */
async function postOnce(
  { url, headers, body }: Post,
  withinMs: number,
): Promise<{ text: string; isPassing: boolean } | null> {
  const signal = AbortSignal.timeout(Math.max(1, withinMs));
  try {
    const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
    await answer.body?.cancel();
    if (answer.ok) return null;
    return { text: `The collector answered ${answer.status}`, isPassing: RETRYABLE.has(answer.status) };
  } catch (error) {
    if (signal.aborted) return { text: "The collector did not answer in time", isPassing: false };
    const { code, message } = error as { code?: string; message: string };
    return { text: `The collector could not be reached: ${code ?? message}`, isPassing: true };
  }
}
