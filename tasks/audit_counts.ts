import type { Context } from "../src/context.ts";
import { auditProject, auditProjects } from "../src/insight/counts/audit.ts";
import type { Jobs } from "../src/jobs.ts";

/** Compares the counters of a project with the facts, or has it done for all. A second run finds the same. */
export async function auditCounts(ctx: Context, { projectId }: Jobs["audit_counts"]): Promise<void> {
  await (projectId === undefined ? auditProjects(ctx) : auditProject(ctx, projectId));
}
