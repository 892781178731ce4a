// What a crash leaves behind is found and put right here.
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { addJobs, type Jobs } from "../jobs.ts";

/** How long a mail stays in doubt before the project's rule settles it (wire.md section 6). */
const DOUBT_MS = 15 * 60_000;
/** A mail that is so long overdue has lost its job. */
const OVERDUE_MS = 2 * 60_000;
const SWEEP_LIMIT = 1_000;
const EMAILS_A_JOB = 10;

/** Buries processes that are gone: their jobs go to others, and what they had in flight is in doubt. */
export async function buryDeadWorkers(ctx: Context): Promise<{ workers: number; inDoubt: number }> {
  return await inTransaction(ctx, async (tx) => {
    const dead = await q.workers.buryDead(tx, { self: ctx.workerId });
    if (dead.length === 0) return { workers: 0, inDoubt: 0 };
    const inDoubt = await q.emails.doubtDead(tx, {
      now: ctx.now(),
      workerIds: dead.map((worker) => worker.id),
    });
    await q.jobs.forceUnlock(tx, { pools: dead.flatMap((worker) => worker.pools) });
    return { workers: dead.length, inDoubt: inDoubt.length };
  });
}

/** Settles what has been in doubt for 15 minutes: sent again where the project wants that, else kept as it is. */
export async function settleDoubts(ctx: Context): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const now = ctx.now();
    const before = new Date(now.getTime() - DOUBT_MS);
    const settled = await q.emails.settleDoubts(tx, { now, before, limit: SWEEP_LIMIT });
    await addSendJobs(
      tx,
      settled.filter((email) => email.status === "PENDING"),
    );
  });
}

/**
 * Gives a job to mails that are due and have none, as after a project was enabled again; and calls in doubt what a
 * process holds that nobody knows any more.
 */
export async function sweepEmails(ctx: Context): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const now = ctx.now();
    const before = new Date(now.getTime() - OVERDUE_MS);
    await q.emails.doubtOrphans(tx, { now, before });
    await addSendJobs(tx, await q.emails.requeueOverdue(tx, { now, before, limit: SWEEP_LIMIT }));
  });
}

/** Enqueues the sending of these mails, a few a job, so that several processes share a burst. */
export async function addSendJobs(
  tx: Context,
  emails: { projectId: string; id: string; campaignId?: string | null }[],
): Promise<void> {
  const payloads: Jobs["send_emails"][] = [];
  const single = emails.filter((email) => !email.campaignId);
  for (const [projectId, rows] of Map.groupBy(single, (email) => email.projectId)) {
    for (let i = 0; i < rows.length; i += EMAILS_A_JOB) {
      payloads.push({ projectId, emailIds: rows.slice(i, i + EMAILS_A_JOB).map((row) => row.id) });
    }
  }
  await addJobs(tx, "send_emails", payloads);
  const batches = emails.flatMap(({ projectId, id, campaignId }) =>
    campaignId ? [{ projectId, campaignId, fromId: id, toId: id }] : [],
  );
  await addJobs(tx, "send_batch", batches);
}
