// What each role may do, in one place (guides/api.md).
import { problems } from "../../problem/mod.ts";

/** What somebody is to a project. */
export type Role = "OWNER" | "ADMIN" | "MEMBER";

/** From the least to the most. */
export const ROLES: readonly Role[] = ["MEMBER", "ADMIN", "OWNER"];

/**
 * The routes that take more than a member. A member may do all else: everything of the project's content, and reading
 * its settings, members and security. Who may be made what, and who may remove whom, is a matter of the two people: see
 * `members.ts`; everybody may leave.
 */
const NEEDED: Readonly<Record<string, Role>> = {
  // Domains: what mail is sent from.
  "POST /domains": "ADMIN",
  "DELETE /domains/:id": "ADMIN",
  "POST /domains/rekey": "ADMIN",

  // Webhooks: where everything is told to.
  "POST /webhooks": "ADMIN",
  "PATCH /webhooks/:id": "ADMIN",
  "DELETE /webhooks/:id": "ADMIN",
  "GET /webhooks/:id/secret": "ADMIN",
  "POST /webhooks/:id/rotate-secret": "ADMIN",
  "POST /webhooks/:id/test": "ADMIN",
  "POST /webhooks/:id/replay": "ADMIN",
  "POST /webhooks/:id/deliveries/:deliveryId/replay": "ADMIN",

  // Transports: who may read and hold back the mail.
  "POST /transports": "OWNER",
  "PATCH /transports/:id": "OWNER",
  "DELETE /transports/:id": "OWNER",
  "POST /transports/:id/test": "OWNER",
  "PUT /routes": "OWNER",
  "POST /warmup-plans": "OWNER",
  "PATCH /warmup-plans/:id": "OWNER",
  "DELETE /warmup-plans/:id": "OWNER",

  // Moving in: everything of another service, by its key.
  "GET /moves": "ADMIN",
  "POST /moves": "ADMIN",
  "GET /moves/:id": "ADMIN",
  "GET /moves/:id/left-out": "ADMIN",
  "POST /moves/:id/files": "ADMIN",
  "DELETE /moves/:id/files/:fileId": "ADMIN",
  "POST /moves/:id/check": "ADMIN",
  "POST /moves/:id/start": "ADMIN",
  "POST /moves/:id/cancel": "ADMIN",

  // Settings and keys.
  "PATCH /users/@me/projects/:id": "ADMIN",
  "POST /users/@me/projects/:id/regenerate-keys": "ADMIN",
  "POST /projects/:id/sandbox": "ADMIN",
  "POST /projects/:id/keys": "ADMIN",
  "PATCH /projects/:id/keys/:keyId": "ADMIN",
  "DELETE /projects/:id/keys/:keyId": "ADMIN",
  "POST /projects/:id/webhook-secret/rotate": "ADMIN",

  // Billing.
  "POST /users/@me/projects/:id/checkout": "ADMIN",
  "POST /users/@me/projects/:id/billing-portal": "ADMIN",
  "GET /users/@me/projects/:id/billing-limits": "ADMIN",
  "PUT /users/@me/projects/:id/billing-limits": "ADMIN",
  "GET /users/@me/projects/:id/billing-consumption": "ADMIN",
  "GET /users/@me/projects/:id/billing-invoices": "ADMIN",

  // Members, and who did what.
  "POST /projects/:id/members": "ADMIN",
  "PATCH /projects/:id/members/:userId": "ADMIN",
  "GET /projects/:id/audit": "ADMIN",

  // What cannot be undone.
  "DELETE /users/@me/projects/:id": "OWNER",
  "POST /users/@me/projects/:id/reset": "OWNER",
  "POST /projects/:id/captured-mails/release": "OWNER",
  "POST /projects/:id/captured-mails/discard": "OWNER",
};

/** The lowest role that may call a route, by its method and its pattern, such as `DELETE` and `/domains/:id`. */
export function roleNeeded(method: string, route: string): Role {
  const asked = method === "HEAD" ? "GET" : method;
  return NEEDED[`${asked} ${route.replace(/(.)\/$/, "$1")}`] ?? "MEMBER";
}

/** Throws FORBIDDEN unless `has` is `needed` or more. */
export function assertRole(has: Role, needed: Role): void {
  if (ROLES.indexOf(has) < ROLES.indexOf(needed)) throw problems.roleTooLow(has, needed);
}
