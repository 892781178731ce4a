// The audit log in words.
import type { AuditLine } from "../api.gen.ts";
import { formatNumber } from "../parts/format.ts";

/** By the API's word for it; `%` stands for what it was done to. */
const DEEDS: Record<string, string> = {
  "project.created": "Created the project",
  "project.updated": "Changed settings",
  "project.disabled": "Suspended the project",
  "project.enabled": "Lifted the suspension",
  "project.reset": "Reset the project",
  "project.exported": "Exported the project",
  "project.imported": "Imported the project",
  "project.received": "Moved in from %",
  "move.created": "Looked what would come from %",
  "move.started": "Began to move in from %",
  "move.cancelled": "Cancelled the move from %",
  "contact.erased": "Deleted a contact",
  "captured.released": "Sent captured mails",
  "captured.discarded": "Gave up captured mails",
  "sandbox.created": "Created test keys",
  "keys.regenerated": "Regenerated the key pair",
  "keys.created": "Created the key %",
  "keys.updated": "Changed the key %",
  "keys.revoked": "Revoked the key %",
  "webhook_secret.rotated": "Rotated the webhook secret",
  "webhook.created": "Created the webhook %",
  "webhook.updated": "Changed the webhook %",
  "webhook.deleted": "Deleted the webhook %",
  "webhook.paused": "Paused the webhook %",
  "webhook.secret_rotated": "Rotated the secret of the webhook %",
  "members.invited": "Invited %",
  "members.added": "Added %",
  "members.joined": "% joined",
  "members.role_changed": "Changed the role of %",
  "members.removed": "Removed %",
  "members.invitation_withdrawn": "Withdrew the invitation of %",
  "domain.added": "Added the domain %",
  "domain.removed": "Removed the domain %",
  "domain.rekeyed": "Replaced the key of the domain %",
  "transport.added": "Added the transport %",
  "transport.updated": "Changed the transport %",
  "transport.paused": "Paused the transport %",
  "transport.resumed": "Resumed the transport %",
  "transport.removed": "Removed the transport %",
  "routes.updated": "Changed the routes",
  "warmup_plan.added": "Added the warm-up plan %",
  "warmup_plan.updated": "Changed the warm-up plan %",
  "warmup_plan.removed": "Removed the warm-up plan %",
  "campaign.sent": "Sent the campaign %",
  "campaign.scheduled": "Scheduled the campaign %",
  "campaign.unscheduled": "Made the campaign % a draft again",
  "campaign.cancelled": "Cancelled the campaign %",
  "billing.limits_changed": "Changed the limits",
  "billing.checkout_started": "Began a subscription",
  "billing.portal_opened": "Opened the billing page",
  "owner.proven": "Proved to be the owner",
};

/** What was done, in a few words. */
export function deedOf({ action, subject }: AuditLine): string {
  // The service may know more than this page: then its own word is better than none.
  const words = DEEDS[action] ?? `${action.replaceAll(/[._]/g, " ")} %`;
  return words.replace("%", () => subject ?? "").trim();
}

const ACTORS = { USER: "Somebody", KEY: "A key", OPERATOR: "The operator", SERVICE: "Postrider" };

/** Who did it. */
export function actorOf({ actor: { kind, name } }: AuditLine): string {
  if (kind === "KEY" && name) return `Key ${name}`;
  return name ?? ACTORS[kind];
}

/** What says nothing if it is so. */
const USUAL: Record<string, unknown> = { verified: true, expiresAt: null };

/** More about it: `name: Shop → Shop & Co`. */
export function detailsOf({ details }: AuditLine): string {
  return Object.entries(details)
    .filter(([name, value]) => !(name in USUAL) || USUAL[name] !== value)
    .map(([name, value]) => `${wordsOf(name)}: ${textOf(value)}`)
    .join(" · ");
}

/** `postalAddress` as `postal address`. */
const wordsOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function textOf(value: unknown): string {
  if (value === null || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return formatNumber(value);
  if (Array.isArray(value)) return value.length > 0 ? value.map(textOf).join(", ") : "none";
  if (typeof value === "object") {
    const { from, to } = value as { from?: unknown; to?: unknown };
    return from !== undefined || to !== undefined ? `${textOf(from ?? null)} → ${textOf(to ?? null)}` : "…";
  }
  return String(value).replaceAll("\n", ", ");
}
