// Which span the work at hand belongs to. OpenTelemetry is known by its types alone: `telemetry/` loads the packages, where an
// installation asks for traces. Elsewhere `tracer` is undefined, and to look at it is all that tracing costs.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Attributes, Span, SpanContext } from "@opentelemetry/api";

/** What a span says of itself when it begins. */
export interface SpanOptions {
  /** Left out: work of our own. */
  kind?: "server" | "client" | "consumer";
  /** Asked for where the span is recorded, so that nothing is made of what is not. */
  attributes?: Attributes | (() => Attributes);
  parent?: SpanContext | undefined;
  links?: SpanContext[];
}

/** Makes spans. */
export interface Tracer {
  /** Begins a trace, or continues the one of its parent; undefined where it is not sampled, which costs next to nothing. */
  begin(name: string, options: SpanOptions): Span | undefined;
  /** The same without asking the sampler: for what belongs to a span that was sampled. */
  record(name: string, options: SpanOptions): Span;
  /** Reads a W3C `traceparent`; undefined for none, and for a malformed one. */
  read(traceparent: string | null | undefined): SpanContext | undefined;
}

/** A span while work is done for it. What goes on after its end, as a timer may, is no part of it. */
export interface SpanScope {
  readonly span: Span;
  isOver: boolean;
}

/** As of `SpanStatusCode`. */
const ERROR = 2;

const scopes = new AsyncLocalStorage<SpanScope | undefined>();

/** What makes spans in this process; undefined: nothing is traced. */
export let tracer: Tracer | undefined;

/** Traces from now on, or no more. */
export function traceWith(next: Tracer | undefined): void {
  tracer = next;
}

/** The span that the work at hand belongs to; undefined where nothing is recorded. */
export function scopeNow(): SpanScope | undefined {
  const scope = tracer && scopes.getStore();
  return scope?.isOver === false ? scope : undefined;
}

/** The same, as others refer to it. */
export function contextNow(): SpanContext | undefined {
  return scopeNow()?.span.spanContext();
}

/** Does work as a part of the span at hand; without one, the work alone. */
export function inSpan<T>(
  name: string,
  options: Omit<SpanOptions, "parent">,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  const scope = scopeNow();
  if (scope === undefined) return work();
  return within(tracer!.record(name, { ...options, parent: scope.span.spanContext() }), work);
}

/**
 * Does work that is no part of the span at hand: it begins a trace if the sampler says so, or in any case where it has links,
 * as these are to spans that were sampled.
 */
export function inTrace<T>(
  name: string,
  options: SpanOptions,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return work();
  const span = options.links?.length ? tracer.record(name, options) : tracer.begin(name, options);
  return span ? within(span, work) : untraced(work);
}

/**
 * Does work for many callers at once. For one it is a part of its span; for several it is a trace of its own, with links to and
 * from each of them that is sampled.
 */
export function inShared<T>(
  name: string,
  callers: readonly { caller: SpanScope | undefined }[],
  work: () => Promise<T>,
): Promise<T> {
  const sampled: SpanScope[] = [];
  for (const { caller } of callers) if (caller?.isOver === false) sampled.push(caller);
  if (tracer === undefined || sampled.length === 0) return untraced(work);
  if (callers.length === 1) return scopes.run(sampled[0], work);
  const contexts = sampled.map(({ span }) => span.spanContext());
  const span = tracer.record(name, {
    attributes: { "postrider.batch.size": callers.length },
    ...(sampled.length === 1 ? { parent: contexts[0] } : { links: contexts }),
  });
  if (sampled.length > 1) for (const caller of sampled) caller.span.addLink({ context: span.spanContext() });
  return within(span, work);
}

/** Does work that is no part of the span at hand, nor of another one: for what one caller sets off and all need. */
export function untraced<T>(work: () => T): T {
  return scopes.getStore() === undefined ? work() : scopes.run(undefined, work);
}

/** A span as W3C Trace Context writes it. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Marks a span as failed. Of the error only its code, or its name: messages repeat values. */
export function noteFailure(span: Span, error: unknown): void {
  const { code, problemCode, name } = (error ?? {}) as {
    code?: unknown;
    problemCode?: unknown;
    name?: unknown;
  };
  span.setAttribute("error.type", String(problemCode ?? code ?? name ?? "unknown"));
  span.setStatus({ code: ERROR });
}

/** Does work within a span, and ends it. */
export async function within<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  const scope = { span, isOver: false };
  try {
    return await scopes.run(scope, () => work(span));
  } catch (error) {
    noteFailure(span, error);
    throw error;
  } finally {
    scope.isOver = true;
    span.end();
  }
}
