// Browsers may call /v1 from anywhere with the public key. Nothing else is open to other origins.

const ALLOWED = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After",
};

const PREFLIGHT = {
  ...ALLOWED,
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": "Content-Type, Authorization, Idempotency-Key, X-Request-Id",
  "access-control-max-age": "86400",
};

/** The headers that let a browser read the answer; none outside of /v1. */
export function corsHeaders(path: string): Readonly<Record<string, string>> {
  return path.startsWith("/v1/") ? ALLOWED : {};
}

/** The answer to a preflight request for /v1, or null for anything else. */
export function preflight(request: Request, path: string, requestId: string): Response | null {
  if (request.method !== "OPTIONS" || !path.startsWith("/v1/")) return null;
  return new Response(null, { status: 204, headers: { ...PREFLIGHT, "x-request-id": requestId } });
}
