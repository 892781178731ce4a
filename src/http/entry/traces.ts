// What a trace says of a request: its route and its outcome. No query, and no part of the path that may be a token or an address.
import type { Span } from "@opentelemetry/api";
import { noteFailure, scopeNow, tracer, untraced, within } from "../../tracing.ts";
import { note, recordOf } from "./requests.ts";

/** What probes ask every few seconds. */
const PROBES = /^\/(health|ready|metrics)(\?|$)/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Gives each request a span, which continues the caller's where it sends a `traceparent`; while nothing is traced, nothing. */
export function traced<Rest extends unknown[]>(
  handle: (request: Request, ...rest: Rest) => Response | Promise<Response>,
): typeof handle {
  return (request, ...rest) => {
    if (tracer === undefined) return handle(request, ...rest);
    const parent = tracer.read(request.headers.get("traceparent"));
    const span = tracer.begin(request.method, { kind: "server", parent });
    if (span === undefined || PROBES.test(pathOf(request))) return untraced(() => handle(request, ...rest));
    return within(span, async () => {
      const answer = await handle(request, ...rest);
      describe(span, request, answer.status);
      return answer;
    });
  };
}

/** Notes the route that takes a request. */
export function noteRoute(request: Request, route: string): void {
  if (scopeNow() !== undefined) note(request, { route: route.replace(/(.)\/$/, "$1") });
}

function describe(span: Span, request: Request, status: number): void {
  const { route, requestId, projectId, code } = recordOf(request);
  if (route !== undefined) span.updateName(`${request.method} ${route}`);
  span.setAttributes({
    "http.request.method": request.method,
    "http.response.status_code": status,
    ...(route !== undefined && { "http.route": route, "url.path": shownPath(route, pathOf(request)) }),
    ...(requestId && { "postrider.request.id": requestId }),
    ...(projectId && { "postrider.project.id": projectId }),
  });
  // 501 names what this installation lacks: nothing is broken.
  if (status >= 500 && status !== 501) noteFailure(span, { code: code ?? status });
}

/** The path with the ids in it; anything else that varies stands as the route names it. */
function shownPath(route: string, path: string): string {
  const given = path.split("?")[0]!.split("/");
  return route
    .split("/")
    .map((part, i) => (part.startsWith(":") && UUID.test(given[i] ?? "") ? given[i] : part))
    .join("/");
}

function pathOf({ url }: Request): string {
  return url.slice(url.indexOf("/", "https://".length));
}
