// What a crash leaves behind is found and put right here.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addSendJobs } from "./enqueue.ts";

/** How long a mail stays in doubt before the project's rule settles it (guides/reliability.md). */
const DOUBT_MS = 15 * 60_000;
/** A mail that is so long overdue has lost its job. */
const OVERDUE_MS = 2 * 60_000;
/** In the day for which a mail is retried, less than this does not matter. */
const LONG_CLOSED_MS = 10 * 60_000;
const SWEEP_LIMIT = 1_000;
const FORGIVE_LIMIT = 5_000;
/** Not above any id. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * After this many consecutive claims without an outcome a mail is not sent again at once: it may be why processes die.
 */
const PATIENCE_ATTEMPTS = 3;

/**
 * Reaps dead processes: their jobs go to others, and so do the mails that they had in flight, except those whose end
 * may have been sent: they are in doubt.
 */
export async function reapDeadWorkers(
  ctx: Context,
): Promise<{ workers: number; inDoubt: number; givenBack: number }> {
  return await inTransaction(ctx, async (tx) => {
    const dead = await q.workers.reapDead(tx, { self: ctx.workerId });
    if (dead.length === 0) return { workers: 0, inDoubt: 0, givenBack: 0 };
    const settled = await settleDead(
      tx,
      dead.map((worker) => worker.id),
    );
    await q.jobs.forceUnlock(tx, { pools: dead.flatMap((worker) => worker.pools) });
    return { workers: dead.length, ...settled };
  });
}

/**
 * What these processes hold is in doubt, or sent by others, and what they have fetched waits apart again. One that lives after
 * all cannot end a mail from here on.
 */
async function settleDead(tx: Context, workerIds: string[]): Promise<{ inDoubt: number; givenBack: number }> {
  await q.handoverMarks.hold(tx, { workerIds });
  const now = tx.now();
  const settled = await q.delivery.settleDead(tx, { now, workerIds, patience: PATIENCE_ATTEMPTS });
  await q.handoverMarks.remove(tx, { workerIds });
  await q.apart.returnFetched(tx, { workerIds, kept: [], before: null, now });
  const givenBack = settled.filter((email) => email.status === "PENDING");
  // The others are found by a sweep when they are due.
  await addSendJobs(
    tx,
    givenBack.filter((email) => email.dueAt <= now),
  );
  return { inDoubt: settled.length - givenBack.length, givenBack: givenBack.length };
}

/**
 * Settles mails that have been in doubt for 15 minutes: sent again where the project wants that, otherwise kept in
 * doubt.
 */
export async function settleDoubts(ctx: Context): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const now = ctx.now();
    const before = new Date(now.getTime() - DOUBT_MS);
    const settled = await q.delivery.settleDoubts(tx, { now, before, limit: SWEEP_LIMIT });
    await addSendJobs(
      tx,
      settled.filter((email) => email.status === "PENDING"),
    );
  });
}

/**
 * Gives a job to mails that are due and have none, as after a project was enabled again, except while they could go
 * nowhere (`requeues`); and settles mails that are held by unknown processes.
 */
export async function sweepEmails(ctx: Context, { requeues = true } = {}): Promise<void> {
  const before = new Date(ctx.now().getTime() - OVERDUE_MS);
  await inTransaction(ctx, async (tx) => {
    const workerIds = (await q.delivery.orphanedBy(tx, { before })).map((row) => row.workerId);
    if (workerIds.length > 0) await settleDead(tx, workerIds);
    await q.handoverMarks.removeUnknown(tx);
  });
  if (requeues) await requeueDue(ctx, before);
}

/** How long the mail server has accepted no connections, and whether it still accepts ours. */
export interface Outage {
  closedForMs: number;
  isOver(): boolean;
}

/**
 * Resumes what has waited while the mail server accepted no connections: single mails get a job, because theirs was
 * dropped. Waiting does not count as an attempt. Ends where the server is away again.
 */
export async function wakeMails(ctx: Context, { closedForMs, isOver }: Outage): Promise<void> {
  const before = ctx.now();
  if (closedForMs >= LONG_CLOSED_MS) await forgiveCampaigns(ctx, before, isOver);
  await requeueDue(ctx, before, isOver);
}

async function forgiveCampaigns(ctx: Context, before: Date, goesOn: () => boolean): Promise<void> {
  const place = { afterCampaignId: FIRST_ID, after: new Date(0) };
  while (goesOn()) {
    const last = await q.campaignSend.forgive(ctx, {
      ...place,
      before,
      now: ctx.now(),
      limit: FORGIVE_LIMIT,
    });
    if (last.mails < FORGIVE_LIMIT) return;
    [place.afterCampaignId, place.after] = [last.campaignId!, last.dueAt!];
  }
}

/** Gives a job to each single mail that has been due since `before` and has none, some hundreds a commit. */
export async function requeueDue(
  ctx: Context,
  before: Date,
  goesOn: () => boolean = () => true,
): Promise<void> {
  const jobs = await q.delivery.oldestJobs(ctx, { now: ctx.now() });
  const waiting = jobs.map(({ projectId, runAt }) => ({ project_id: projectId, run_at: runAt }));
  let since = new Date(0);
  for (let mails = SWEEP_LIMIT; mails === SWEEP_LIMIT && goesOn();) {
    mails = await inTransaction(ctx, async (tx) => {
      const slice = { waiting, since, before, now: tx.now(), limit: SWEEP_LIMIT };
      const overdue = await q.delivery.requeueOverdue(tx, slice);
      await addSendJobs(tx, overdue);
      for (const { wasDueAt } of overdue) if (wasDueAt > since) since = wasDueAt;
      return overdue.length;
    });
  }
}
