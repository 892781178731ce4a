// A trace of a message that was submitted, as a request has one. Nothing in it is of the message but its size.
import type { Span } from "@opentelemetry/api";
import type { GivenMessage } from "../../mail/submission_smtp.ts";
import { UnfitMessage } from "../../mail/submitted.ts";
import { Problem } from "../../problem/mod.ts";
import { inTrace, tracer } from "../../tracing.ts";
import type { Submitter } from "./_caller.ts";

/** Takes a message with a span around it; while nothing is traced, without. A refusal is no failure, as with requests. */
export async function tracedSubmission(
  { caller, recipients, message }: GivenMessage<Submitter>,
  take: () => Promise<string>,
): Promise<string> {
  if (tracer === undefined) return await take();
  const attributes = {
    "network.protocol.name": "smtp",
    "postrider.project.id": caller.projectId,
    "postrider.message.recipients": recipients.length,
    "postrider.message.bytes": message.source.length,
  };
  const ended = await inTrace("SMTP submission", { kind: "server", attributes }, async (span) => {
    try {
      return { text: await take() };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (span) describeRefusal(span, error);
      return { error };
    }
  });
  if ("error" in ended) throw ended.error;
  return ended.text;
}

function isRefusal(error: unknown): error is UnfitMessage | Problem {
  return error instanceof UnfitMessage || (error instanceof Problem && error.status < 500);
}

function describeRefusal(span: Span, error: UnfitMessage | Problem): void {
  span.setAttribute(
    "postrider.refusal.code",
    error instanceof Problem ? error.problemCode : "VALIDATION_ERROR",
  );
}
