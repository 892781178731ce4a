// What a named key may do, in one place (guides/api.md). The pair of a project may do everything.
import { problems } from "../../problem/mod.ts";

/** What a key can be allowed to do. */
export const SCOPES = ["send", "track", "read", "write", "all"] as const;

export type KeyScope = (typeof SCOPES)[number];

/** First segments of what `read` may see. What is below another one takes `all` until it is put here. */
const READABLE = new Set([
  "activity",
  "analytics",
  "campaigns",
  "contacts",
  "deliverability",
  "domains",
  "emails",
  "events",
  "routes",
  "search",
  "segments",
  "suppressions",
  "templates",
  "transports",
  "uploads",
  "webhooks",
  "warmup-plans",
  "workflows",
]);

/** Routes that are no matter of method and first segment. */
const NEEDED: Readonly<Record<string, KeyScope>> = {
  "POST /v1/send": "send",
  "POST /v1/send/batch": "send",
  "POST /compat/resend/emails": "send",
  "POST /compat/resend/emails/batch": "send",
  "GET /compat/resend/emails/:id": "read",
  "POST /compat/sendgrid/v3/mail/send": "send",
  "POST /compat/postmark/email": "send",
  "POST /compat/postmark/email/withTemplate": "send",
  "POST /compat/postmark/email/batch": "send",
  "POST /compat/postmark/email/batchWithTemplates": "send",
  "GET /compat/postmark/messages/outbound/:id/details": "read",
  "POST /compat/mailgun/v3/:domain/messages": "send",
  "POST /compat/mailgun/v3/:domain/messages.mime": "send",
  "POST /v1/track": "track",
  "POST /events/track": "track",

  // Its settings and how it stands; members and audit are about people, and take `all`.
  "GET /projects/:id": "read",
  "GET /projects/:id/setup-state": "read",
  "GET /projects/:id/security": "read",

  // They take what they read from in a body, and change nothing.
  // Each tool takes the scope of what it calls.
  "POST /mcp": "read",
  "POST /v1/verify": "read",
  "POST /contacts/lookup": "read",
  "POST /routes/test": "read",
  "POST /segments/preview": "read",
  "POST /templates/preview": "read",
  "POST /templates/:id/preview": "read",
  "POST /campaigns/audience": "read",
  "POST /campaigns/preview": "read",
  "POST /campaigns/:id/preview": "read",
  "POST /campaigns/:id/check": "read",
  "POST /workflows/:id/graph/check": "read",

  // They change content. What is live by then takes `all`: see `assertDraft…` in http/routes/_drafts.ts.
  "POST /contacts": "write",
  "PATCH /contacts/:id": "write",
  "POST /contacts/import": "write",
  "POST /contacts/imports": "write",
  "POST /segments": "write",
  "PATCH /segments/:id": "write",
  "POST /segments/:id/members": "write",
  "POST /templates": "write",
  "PATCH /templates/:id": "write",
  "POST /templates/:id/duplicate": "write",
  "POST /templates/:id/versions/:version/restore": "write",
  "POST /campaigns": "write",
  "PUT /campaigns/:id": "write",
  "PATCH /campaigns/:id": "write",
  "POST /campaigns/:id/duplicate": "write",
  "POST /workflows": "write",
  "PATCH /workflows/:id": "write",
  "POST /workflows/:id/duplicate": "write",
  "PUT /workflows/:id/graph": "write",
  "POST /workflows/:id/steps": "write",
  "PATCH /workflows/:id/steps/:stepId": "write",
  "POST /workflows/:id/transitions": "write",
  "POST /workflows/:id/transitions/:transitionId/insert-step": "write",
  "POST /uploads/image": "write",

  // What signs is no reading matter.
  "GET /webhooks/:id/secret": "all",

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

/** Whether these scopes are enough for a route; null are those of the pair and of people, which are not limited. */
export function isAllowed(scopes: readonly string[] | null, method: string, route: string): boolean {
  return scopes === null || scopes.includes("all") || scopes.includes(scopeNeeded(method, route));
}

/** Throws FORBIDDEN unless one of the scopes of a key is enough for a route. */
export function assertScope(keyName: string, scopes: readonly string[], method: string, route: string): void {
  if (!isAllowed(scopes, method, route)) {
    throw problems.scopeMissing(keyName, scopes, scopeNeeded(method, route));
  }
}
