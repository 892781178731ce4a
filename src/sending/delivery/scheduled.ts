// Mails that wait for a time which the caller has named: how they get their jobs, another time, or are cancelled. Whatever
// job asks for one sooner, a claim leaves it alone.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { type Email, getEmail } from "./emails.ts";
import { addTimedSendJobs } from "./enqueue.ts";

/** A mail, and when it is due. */
export interface ScheduledMail {
  projectId: string;
  id: string;
  sendAt: Date;
}

/** What is due within this time has a job: the look every minute may be half a minute late. */
const NEAR_MS = 90_000;
/** Mails that get their jobs in one commit. */
const SLICE = 1_000;

/** Sees to it that mails of the ledger are sent at their times, in the transaction that has written them. */
export async function schedule(tx: Context, projectId: string, mails: ScheduledMail[]): Promise<void> {
  const near = nearEnd(tx);
  const [soon, later] = [
    mails.filter(({ sendAt }) => sendAt < near),
    mails.filter(({ sendAt }) => sendAt >= near),
  ];
  await addTimedSendJobs(tx, soon);
  if (later.length === 0) return;
  const rows = later.map(({ id, sendAt }) => ({ email_id: id, send_at: sendAt }));
  await q.scheduledEmails.put(tx, { projectId, rows });
}

/** Gives jobs to the mails that are due soon, some hundreds a commit. A second run finds those that the first one left. */
export async function enqueueDue(ctx: Context): Promise<void> {
  for (let mails = SLICE; mails === SLICE;) {
    mails = await inTransaction(ctx, async (tx) => {
      const due = await q.scheduledEmails.takeDue(tx, { before: nearEnd(tx), limit: SLICE });
      await addTimedSendJobs(tx, due);
      return due.length;
    });
  }
}

function nearEnd(ctx: Context): Date {
  return new Date(ctx.now().getTime() + NEAR_MS);
}

/**
 * Gives a scheduled mail another time, and all others of its message if it is the first one; returns its row. Throws not-found, and 409 once it is being sent or was
 * cancelled.
 */
export async function rescheduleEmail(
  ctx: Context,
  projectId: string,
  emailId: string,
  sendAt: Date,
): Promise<Email> {
  return await inTransaction(ctx, async (tx) => {
    const moved = await q.scheduledEmails.reschedule(tx, { projectId, emailId, sendAt });
    if (moved.length === 0) {
      const { status, scheduledFor } = await getEmail(tx, projectId, emailId);
      throw problems.mailNotScheduled(scheduledFor === null ? "not scheduled" : status);
    }
    const emailIds = moved.map(({ id }) => id);
    if (sendAt < nearEnd(tx)) await q.scheduledEmails.remove(tx, { projectId, emailIds });
    await schedule(
      tx,
      projectId,
      emailIds.map((id) => ({ projectId, id, sendAt })),
    );
    return await getEmail(tx, projectId, emailId);
  });
}

/**
 * Closes a single mail that was not sent yet, and the others of its message if it is the first one; returns its row: SUPPRESSED. What it took of the month's limit is given
 * back. Throws not-found, and 409 for a mail that is being sent, was sent, or belongs to a campaign or workflow.
 */
export async function cancelEmail(ctx: Context, projectId: string, emailId: string): Promise<Email> {
  const cancelled = await q.scheduledEmails.cancel(ctx, { projectId, emailId });
  const email = await getEmail(ctx, projectId, emailId);
  if (cancelled.length > 0) return email;
  const { status, sourceType } = email;
  throw problems.mailNotCancelled(
    sourceType === "TRANSACTIONAL" ? status : `part of a ${sourceType.toLowerCase()}`,
  );
}
