// What a named key may do, in one place (guides/api.md). The pair of a project may do everything.
import { problems } from "../../problem.ts";

/** What a key can be allowed to do. */
export const SCOPES = ["send", "track", "read", "all"] as const;

export type Scope = (typeof SCOPES)[number];

/** Routes that need something else than `read` to read and `all` to write. */
const NEEDED: Readonly<Record<string, Scope>> = {
  "POST /v1/send": "send",
  "POST /v1/track": "track",
  "POST /events/track": "track",
  // They take what they read from in a body, and change nothing.
  "POST /v1/verify": "read",
  "POST /contacts/lookup": "read",
  "POST /segments/preview": "read",
  "POST /templates/preview": "read",
  "POST /campaigns/preview": "read",
};

/** The scope that a route needs, by its method and its pattern. */
export function scopeNeeded(method: string, route: string): Scope {
  if (method === "GET" || method === "HEAD") return "read";
  return NEEDED[`${method} ${route.replace(/(.)\/$/, "$1")}`] ?? "all";
}

/** Throws FORBIDDEN unless one of the scopes of a key is enough for a route. */
export function assertScope(keyName: string, scopes: readonly string[], method: string, route: string): void {
  const needed = scopeNeeded(method, route);
  if (!scopes.includes("all") && !scopes.includes(needed)) {
    throw problems.scopeMissing(keyName, scopes, needed);
  }
}
