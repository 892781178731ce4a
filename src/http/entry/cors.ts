// Browsers may call /v1 from anywhere with the public key. All else is open to dashboards only, which bring the session
// cookie along.
import { dashboardOrigins } from "../../config/mod.ts";
import { type Context, perService } from "../../context.ts";

type Headers = Readonly<Record<string, string>>;

const EXPOSED =
  "X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit, RateLimit-Policy, Retry-After, ETag, Idempotent-Replayed";
const METHODS = "GET, POST, PUT, PATCH, DELETE";
const ASKED = "Content-Type, Authorization, Idempotency-Key, Idempotency-Replay, X-Request-Id";

const ANYBODY: Headers = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED,
};

const NOBODY: Headers = {};

/** Whose answer depends on the origin must not be kept for another one. */
const DEPENDS: Headers = { vary: "Origin" };

/** The headers that allow a page of another origin to read the response; none outside of /v1, except for dashboards. */
export function corsHeaders(ctx: Context, request: Request, path: string): Headers {
  const dashboards = dashboardsOf(ctx);
  const open = path.startsWith("/v1/") ? ANYBODY : NOBODY;
  if (dashboards.size === 0) return open;
  return dashboards.get(request.headers.get("origin") ?? "") ?? { ...open, ...DEPENDS };
}

/** The answer to a preflight request of a page that may continue, or null for anything else. */
export function preflight(ctx: Context, request: Request, path: string, requestId: string): Response | null {
  if (request.method !== "OPTIONS") return null;
  const allowed = corsHeaders(ctx, request, path);
  if (!allowed["access-control-allow-origin"]) return null;
  const isDashboard = allowed["access-control-allow-credentials"] !== undefined;
  const headers = {
    ...allowed,
    "access-control-allow-methods": METHODS,
    "access-control-allow-headers": isDashboard ? `${ASKED}, X-Project-Id, If-Match, Last-Event-ID` : ASKED,
    "access-control-max-age": "86400",
    "x-request-id": requestId,
  };
  return new Response(null, { status: 204, headers });
}

const dashboardsOf = perService(
  ({ config }) =>
    new Map(
      dashboardOrigins(config).map((origin): [string, Headers] => [
        origin,
        {
          "access-control-allow-origin": origin,
          "access-control-allow-credentials": "true",
          "access-control-expose-headers": EXPOSED,
          ...DEPENDS,
        },
      ]),
    ),
);
