// Whose transports, routes and plans are changed: those of a project, by its owners, or of the installation, by its operator.
import { type Actor, type AuditAction, recordAudit } from "../../accounts/audit.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { INSTALLATION } from "./routes.ts";

/** Changes of one project take turns, and none outlives it. Of the installation, rows are locked alone. Throws not-found. */
export async function holdProjectOf(tx: Context, projectId: string): Promise<void> {
  if (projectId === INSTALLATION) return;
  if ((await q.projects.hold(tx, { projectId })) === 0) throw problems.notFound("project", projectId);
}

/** Notes a change in the log of the project. The installation has none: whoever changes it has a shell there. */
export async function noteChange(
  tx: Context,
  projectId: string,
  actor: Actor,
  change: { action: AuditAction; subject?: string; details?: Record<string, unknown> },
): Promise<void> {
  if (projectId !== INSTALLATION) await recordAudit(tx, { projectId, actor, ...change });
}
