// Who did what to which project. Lines are written in the transaction that they describe: they exist if and only if it
// committed.
import { type Context, newId } from "../context.ts";
import { q } from "../db/queries.ts";

/** Who acts. */
export type Actor =
  | { kind: "user"; userId: string; email: string; proven: boolean }
  /** The holder of the key that ends like this: the secret one, or the one with this name. */
  | { kind: "key"; hint: string | null; name?: string | undefined }
  /** Somebody with a shell on the installation. */
  | { kind: "operator" }
  /** The service itself, such as for a bad reputation. */
  | { kind: "service" };

/** A user who acts. */
export interface Person {
  id: string;
  email: string;
  /** The holder of the account is known to read the mail of its address. */
  proven: boolean;
}

/** A user as the actor. */
export function actorOf({ id, email, proven }: Person): Actor {
  return { kind: "user", userId: id, email, proven };
}

/** Who it is, in a word or two: an address, or which key. */
export function nameOf(actor: Actor): string {
  if (actor.kind === "user") return actor.email;
  if (actor.kind !== "key") return actor.kind;
  return actor.name === undefined
    ? `secret key …${actor.hint ?? ""}`
    : `key ${actor.name} …${actor.hint ?? ""}`;
}

export const OPERATOR: Actor = { kind: "operator" };
export const SERVICE: Actor = { kind: "service" };

/** What is written down. A new action gets its word here. */
export const AUDIT_ACTIONS = [
  "project.created",
  "project.updated",
  "project.disabled",
  "project.enabled",
  "project.reset",
  "project.exported",
  "project.imported",
  "project.received",
  "move.created",
  "move.started",
  "move.cancelled",
  "contact.erased",
  "sandbox.created",
  "keys.regenerated",
  "keys.created",
  "keys.updated",
  "keys.revoked",
  "webhook_secret.rotated",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "webhook.paused",
  "webhook.secret_rotated",
  "members.invited",
  "members.added",
  "members.joined",
  "members.role_changed",
  "members.removed",
  "members.two_factor_off",
  "members.invitation_withdrawn",
  "domain.added",
  "domain.removed",
  "domain.rekeyed",
  "transport.added",
  "transport.updated",
  "transport.paused",
  "transport.resumed",
  "transport.removed",
  "routes.updated",
  "warmup_plan.added",
  "warmup_plan.updated",
  "warmup_plan.removed",
  "campaign.sent",
  "campaign.scheduled",
  "campaign.unscheduled",
  "campaign.cancelled",
  "captured.released",
  "captured.discarded",
  "billing.limits_changed",
  "owner.proven",
  "billing.checkout_started",
  "billing.portal_opened",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What was done to a project. */
export interface Deed {
  projectId: string;
  action: AuditAction;
  /** What it was done to, in words that outlive it: an address, a domain, the name of a campaign. */
  subject?: string | undefined;
  /** More about it; no secrets, and nothing of contacts. Of a user it is added whether their address is `verified`. */
  details?: Record<string, unknown> | undefined;
}

/** A line of the log as the API shows it. */
export interface AuditLine {
  id: string;
  at: Date;
  actor: { kind: "USER" | "KEY" | "OPERATOR" | "SERVICE"; userId: string | null; name: string | null };
  action: string;
  subject: string | null;
  details: Record<string, unknown>;
}

/** Writes one line, in the transaction that it describes. */
export async function recordAudit(tx: Context, { actor, ...deed }: Deed & { actor: Actor }): Promise<void> {
  await recordAudits(tx, actor, [deed]);
}

/** Writes several lines of one actor. The triggers `audit_unchanged` and `audit_kept` refuse to change or delete them. */
export async function recordAudits(tx: Context, actor: Actor, deeds: Deed[]): Promise<void> {
  if (deeds.length === 0) return;
  const lines = deeds.map(({ projectId, action, subject = null, details = {} }) => ({
    project_id: projectId,
    id: newId(tx),
    action,
    subject,
    // Anybody may have made an account where it is not proven: then the name of the line proves nothing.
    details: actor.kind === "user" ? { ...details, verified: actor.proven } : details,
  }));
  await q.audit.record(tx, { lines, now: tx.now(), ...columnsOf(actor) });
}

/** The newest lines of the log after the line `afterId`: `limit` and one more, if there are that many. */
export async function listAudit(
  ctx: Context,
  projectId: string,
  { limit, afterId }: { limit: number; afterId: string | null },
): Promise<AuditLine[]> {
  return (await q.audit.list(ctx, { projectId, afterId, limit: limit + 1 })).map(toLine);
}

/** How many lines the log of a project has. */
export async function countAudit(ctx: Context, projectId: string): Promise<number> {
  return (await q.audit.total(ctx, { projectId })).total;
}

function columnsOf(actor: Actor) {
  switch (actor.kind) {
    case "user":
      return { actorKind: "USER", actorUserId: actor.userId, actorName: actor.email } as const;
    case "key":
      return {
        actorKind: "KEY",
        actorUserId: null,
        actorName: actor.name === undefined ? actor.hint : `${actor.name} …${actor.hint ?? ""}`,
      } as const;
    case "operator":
      return { actorKind: "OPERATOR", actorUserId: null, actorName: null } as const;
    case "service":
      return { actorKind: "SERVICE", actorUserId: null, actorName: null } as const;
  }
}

type Row = Awaited<ReturnType<typeof q.audit.list>>[number];

function toLine({ actorKind, actorUserId, actorName, details, ...line }: Row): AuditLine {
  return {
    ...line,
    actor: { kind: actorKind, userId: actorUserId, name: actorName },
    details: details as Record<string, unknown>,
  };
}
