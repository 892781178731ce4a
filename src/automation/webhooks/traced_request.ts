import {
  type GuardedAnswer,
  type GuardedRequest,
  type GuardOptions,
  guardedRequest,
} from "../../net/guarded_request.ts";
import { inSpan, noteFailure, traceparentOf } from "../../tracing.ts";

/**
 * Makes a guarded request as a part of the span at hand, which the receiver can continue by the `traceparent` of the request. Of
 * the address a trace has the host alone: the rest may hold a secret.
 */
export async function tracedRequest(request: GuardedRequest, options: GuardOptions): Promise<GuardedAnswer> {
  const attributes = { "http.request.method": request.method, ...hostOf(request.url) };
  return await inSpan(`webhook ${request.method}`, { kind: "client", attributes }, async (span) => {
    if (span === undefined) return await guardedRequest(request, options);
    const headers = { traceparent: traceparentOf(span.spanContext()), ...request.headers };
    const answer = await guardedRequest({ ...request, headers }, options);
    if (answer.state !== "answered") noteFailure(span, { code: answer.state });
    else span.setAttribute("http.response.status_code", answer.status);
    if (answer.state === "answered" && answer.status >= 400) noteFailure(span, { code: answer.status });
    return answer;
  });
}

function hostOf(url: string): Record<string, string> {
  const host = URL.parse(url)?.hostname;
  return host ? { "server.address": host } : {};
}
