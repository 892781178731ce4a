import type { SpanContext } from "@opentelemetry/api";
import { tracer } from "../../tracing.ts";

/** Mails with the span of the request that they came with, where that is recorded: the messages, and the mails of each. */
export function withTraces<Mail extends { id: string }>(
  pending: Mail[],
  messages: { trace?: SpanContext | undefined }[],
  mails: { id: string }[][],
): (Mail & { trace?: SpanContext | undefined })[] {
  if (tracer === undefined || !messages.some(({ trace }) => trace)) return pending;
  const traceOf = new Map(
    messages.flatMap(({ trace }, i) => mails[i]!.map(({ id }) => [id, trace] as const)),
  );
  return pending.map((mail) => ({ ...mail, trace: traceOf.get(mail.id) }));
}
