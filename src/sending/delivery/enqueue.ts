// How accepted mail comes into the queue, and in which order the queue hands it out: of a project with thousands the later
// mails come after the first ones of others. What is counted is what this process has accepted; the queue takes the order
// from the jobs.
import type { SpanContext } from "@opentelemetry/api";
import { type Context, inTransaction, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob, addJobs, addTimedJobs, type Jobs, priorityBehind } from "../../jobs.ts";
import { contextNow, traceparentOf } from "../../tracing.ts";
import { forgetOldest } from "./_forgetting.ts";

const EMAILS_A_JOB = 10;
/**
 * Mails that a project may have in the queue without losing priority; each further lot of that size lowers it by a
 * step.
 */
const STEP = 500;
/** How quickly accepted mails are forgotten. */
const MAILS_A_SECOND = 100;
const MAX_PROJECTS = 10_000;

interface Backlog {
  mails: number;
  at: number;
}

const backlogsOf = perService(() => new Map<string, Backlog>());

/** A mail that is to be sent. */
export interface QueuedMail {
  projectId: string;
  id: string;
  campaignId?: string | null;
  /** The span that accepted it, where that is recorded. */
  trace?: SpanContext | undefined;
}

/**
 * Enqueues the sending of these mails, a few a job, so that several processes share a burst. The more a project has
 * there already, the later they come.
 */
export async function addSendJobs(tx: Context, emails: QueuedMail[]): Promise<void> {
  const jobs: { payload: Jobs["send_emails"]; urgency: number }[] = [];
  const single = emails.filter((email) => !email.campaignId);
  const isTraced = single.some(({ trace }) => trace !== undefined);
  for (const [projectId, rows] of Map.groupBy(single, (email) => email.projectId)) {
    for (const some of slicesOf(rows, EMAILS_A_JOB)) {
      const emailIds = some.map((row) => row.id);
      const payload = { projectId, emailIds, ...(isTraced && tracesOf(some)) };
      jobs.push({ payload, urgency: urgencyOf(tx, projectId, emailIds.length) });
    }
  }
  for (const [priority, group] of Map.groupBy(jobs, ({ urgency }) => urgency)) {
    const payloads = group.map(({ payload }) => payload);
    await addJobs(tx, "send_emails", payloads, { priority });
  }
  const batches = emails.flatMap(({ projectId, id, campaignId }) =>
    campaignId ? [{ projectId, campaignId, fromId: id, toId: id }] : [],
  );
  await addJobs(tx, "send_batch", batches);
}

/** The same for mails that are due at a time: those of one moment share jobs. */
export async function addTimedSendJobs(
  tx: Context,
  emails: { projectId: string; id: string; sendAt: Date }[],
): Promise<void> {
  const together = Map.groupBy(emails, ({ projectId, sendAt }) => `${projectId} ${sendAt.getTime()}`);
  const jobs = [...together.values()].flatMap((rows) => {
    const { projectId, sendAt: runAt } = rows[0]!;
    return slicesOf(rows, EMAILS_A_JOB).map((some) => ({
      payload: { projectId, emailIds: some.map(({ id }) => id) },
      runAt,
      priority: urgencyOf(tx, projectId, some.length),
    }));
  });
  await addTimedJobs(tx, "send_emails", jobs);
}

/** A job for single mails that have to wait until then, which the sweep of overdue mails respects: they get no second one. */
export async function deliverLater(
  ctx: Context,
  { projectId, emailIds }: Jobs["send_emails"],
  runAt: Date,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await q.delivery.postpone(tx, { projectIds: emailIds.map(() => projectId), ids: emailIds, dueAt: runAt });
    await addJob(tx, "send_emails", { projectId, emailIds }, { runAt });
  });
}

/**
 * The spans that accepted mails, for the payload of their job: each mail follows from its own, and not from the commit that it
 * shares with others, or one request in a hundred would have all mails of its commit traced. Nothing while nothing is recorded.
 */
export function tracesOf(mails: QueuedMail[]): { traces?: Record<string, string> } {
  if (contextNow() === undefined) return {};
  const traced = mails.flatMap(({ id, trace }) => (trace ? [[id, traceparentOf(trace)] as const] : []));
  return { traces: Object.fromEntries(traced) };
}

function slicesOf<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/** The priority of a job with that many other mails of its project: 0 is the most urgent. */
function urgencyOf(ctx: Context, projectId: string, mails: number): number {
  const backlogs = backlogsOf(ctx);
  const now = performance.now();
  const before = leftOf(backlogs.get(projectId), now);
  backlogs.delete(projectId);
  backlogs.set(projectId, { mails: before + mails, at: now });
  forgetOldest(backlogs, MAX_PROJECTS, () => false);
  return priorityBehind("send_emails", Math.floor(before / STEP));
}

function leftOf(backlog: Backlog | undefined, now: number): number {
  return backlog ? Math.max(0, backlog.mails - ((now - backlog.at) / 1000) * MAILS_A_SECOND) : 0;
}
