// What a named key may do, in one place (guides/api.md). The pair of a project may do everything.
import { problems } from "../../problem/mod.ts";

/** What a key can be allowed to do. */
export const SCOPES = ["send", "track", "read", "all"] as const;

export type KeyScope = (typeof SCOPES)[number];

/** First segments of what `read` may see. What is below another one takes `all` until it is put here. */
const READABLE = new Set([
  "activity",
  "analytics",
  "campaigns",
  "contacts",
  "domains",
  "emails",
  "events",
  "search",
  "segments",
  "suppressions",
  "templates",
  "uploads",
  "workflows",
]);

/** Routes that are no matter of method and first segment. */
const NEEDED: Readonly<Record<string, KeyScope>> = {
  "POST /v1/send": "send",
  "POST /v1/track": "track",
  "POST /events/track": "track",

  // Its settings and how it stands; members and audit are about people, and take `all`.
  "GET /projects/:id": "read",
  "GET /projects/:id/setup-state": "read",
  "GET /projects/:id/security": "read",

  // They take what they read from in a body, and change nothing.
  "POST /v1/verify": "read",
  "POST /contacts/lookup": "read",
  "POST /segments/preview": "read",
  "POST /templates/preview": "read",
  "POST /templates/:id/preview": "read",
  "POST /campaigns/audience": "read",
  "POST /campaigns/preview": "read",
  "POST /campaigns/:id/preview": "read",
  "POST /campaigns/:id/check": "read",
  "POST /workflows/:id/graph/check": "read",

  // It notes what it finds, and the domain may be verified by it, or no longer.
  "GET /domains/:id/verify": "all",
};

/** The scope that a route needs, by its method and its pattern, such as `GET` and `/contacts/:id`. */
export function scopeNeeded(method: string, route: string): KeyScope {
  const asked = method === "HEAD" ? "GET" : method;
  const named = NEEDED[`${asked} ${route.replace(/(.)\/$/, "$1")}`];
  if (named) return named;
  return asked === "GET" && READABLE.has(route.split("/")[1] ?? "") ? "read" : "all";
}

/** Throws FORBIDDEN unless one of the scopes of a key is enough for a route. */
export function assertScope(keyName: string, scopes: readonly string[], method: string, route: string): void {
  const needed = scopeNeeded(method, route);
  if (!scopes.includes("all") && !scopes.includes(needed)) {
    throw problems.scopeMissing(keyName, scopes, needed);
  }
}
