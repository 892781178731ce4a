// Checks every night whether the counters still match the facts, and recounts where they do not.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs, priorityOf } from "../../jobs.ts";
import { eventCountFaults, recountEvents } from "./events.ts";
import { executionCountFaults, recountExecutions } from "./executions.ts";
import { mailCountFaults, recountMails } from "./mails.ts";
import { FIRST_ID } from "../ids.ts";

/** How many counters were wrong. */
export interface Recount {
  projectId: string;
  events: number;
  mails: number;
  executions: number;
}

/** More lines of a project say nothing new. */
const MAX_FAULTS = 20;
const PAGE = 1_000;

/** Enqueues the audit of every project. */
export async function auditProjects(ctx: Context): Promise<void> {
  for await (const projectIds of everyProject(ctx)) {
    await addJobs(
      ctx,
      "audit_counts",
      projectIds.map((projectId) => ({ projectId })),
      { priority: priorityOf("audit_counts", "nightly") },
    );
  }
}

/** Compares the counters of a project with the facts, and writes every difference to the log as an error. */
export async function auditProject(ctx: Context, projectId: string): Promise<void> {
  // It may have been deleted since the job was made.
  if (!(await q.expired.ofProject(ctx, { projectId }))) return;
  const faults = [
    ...(await eventCountFaults(ctx, projectId, { limit: MAX_FAULTS })),
    ...(await mailCountFaults(ctx, projectId, { limit: MAX_FAULTS })),
    ...(await executionCountFaults(ctx, projectId, { limit: MAX_FAULTS })),
  ];
  for (const { day, ...fault } of faults) {
    ctx.log.error("wrong count", { projectId, day: day && day.toISOString().slice(0, 10), ...fault });
  }
}

/**
 * Makes the counters of a project equal the facts, exactly, while everybody continues. Counts of events and mails that
 * have expired since stay, unless `forgets`: then they go too.
 */
export async function recountProject(
  ctx: Context,
  projectId: string,
  { forgets = false }: { forgets?: boolean } = {},
): Promise<Recount> {
  return {
    projectId,
    events: await recountEvents(ctx, projectId, { forgets }),
    mails: await recountMails(ctx, projectId, { forgets }),
    executions: await recountExecutions(ctx, projectId),
  };
}

/** The same for every project, one after another. */
export async function recountProjects(ctx: Context): Promise<Recount[]> {
  const recounts: Recount[] = [];
  for await (const projectIds of everyProject(ctx)) {
    for (const projectId of projectIds) recounts.push(await recountProject(ctx, projectId));
  }
  return recounts;
}

async function* everyProject(ctx: Context): AsyncGenerator<string[]> {
  for (let after = FIRST_ID; ;) {
    const page = (await q.recounts.projects(ctx, { after, limit: PAGE })).map(({ id }) => id);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)!;
  }
}
