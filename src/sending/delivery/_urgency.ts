// In which order the queue hands out single mails: of a project with thousands the later ones come after the first ones
// of others. What is counted is what this process has accepted; the queue takes the order from the jobs.
import { type Context, perService } from "../../context.ts";
import { forgetOldest } from "./_forgetting.ts";

/** Mails that a project may have in the queue without being less urgent; so many more make the next step. */
const STEP = 500;
/** So fast it is forgotten what was accepted. */
const MAILS_A_SECOND = 100;
const LEAST_URGENT = 30_000;
const MAX_PROJECTS = 10_000;

interface Backlog {
  mails: number;
  at: number;
}

const backlogsOf = perService(() => new Map<string, Backlog>());

/** The priority of a job with so many more mails of a project: 0 is the most urgent. */
export function urgencyOf(ctx: Context, projectId: string, mails: number): number {
  const backlogs = backlogsOf(ctx);
  const now = performance.now();
  const before = leftOf(backlogs.get(projectId), now);
  backlogs.delete(projectId);
  backlogs.set(projectId, { mails: before + mails, at: now });
  forgetOldest(backlogs, MAX_PROJECTS, () => false);
  return Math.min(LEAST_URGENT, Math.floor(before / STEP));
}

function leftOf(backlog: Backlog | undefined, now: number): number {
  return backlog ? Math.max(0, backlog.mails - ((now - backlog.at) / 1000) * MAILS_A_SECOND) : 0;
}
