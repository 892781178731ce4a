// The process that has accepted mails delivers them itself, with their contents from memory: no job is fetched and nothing is
// read back. Their job is due later, and is there for when this process ends, or cannot send them now.
import type { SpanContext } from "@opentelemetry/api";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob, type Jobs } from "../../jobs.ts";
import { describeError } from "../../log.ts";
import type { AcceptedContent } from "./accepted_content.ts";
import { addSendJobs, type QueuedMail, tracesOf } from "./enqueue.ts";
import { deliverHanded, makeDelivery, wayOf } from "./mod.ts";
import { isLimited } from "./rates.ts";

/** A mail that was accepted here. */
export interface HandedMail {
  id: string;
  address: string;
  /** Null where it is read back: it has attachments, or is large. */
  content: AcceptedContent | null;
  /** The span that accepted it, where that is recorded. */
  trace?: SpanContext | undefined;
}

/** Mails of one transaction. */
export interface HandOff {
  emailIds: string[];
  /** Delivers them. To be called when they are committed. */
  begin(mails: HandedMail[]): void;
}

/** When the job is due. What goes as it should is long done by then, and the job finds nothing to do. */
const JOB_AFTER_MS = 15_000;
/** What may be on its way from here. The others have their turn in the queue. */
interface HandOffLimits {
  /** Mails, all and of one project. */
  mails: number;
  mailsOfOne: number;
  /** Characters of contents. Each transaction that is open at the limit may bring half a million more. */
  chars: number;
}

/** About a second of delivery, and up to 16 MB. */
const LIMITS: HandOffLimits = { mails: 1_000, mailsOfOne: 500, chars: 8_000_000 };

interface Here {
  /** Null while nothing is delivered this way. */
  limits: HandOffLimits | null;
  mails: number;
  chars: number;
  ofProject: Map<string, number>;
  /** What has begun and not ended, by the key of its job. */
  begun: Map<string, { projectId: string; emailIds: string[] }>;
}

const hereOf = perService((): Here => ({
  limits: null,
  mails: 0,
  chars: 0,
  ofProject: new Map(),
  begun: new Map(),
}));

/** From now on this process delivers what it accepts, as long as it has room for it. */
export function openHandOff(ctx: Context, limits: Partial<HandOffLimits> = {}): void {
  // Made by this context, and not by that of a request, which is patient for a moment only.
  makeDelivery(ctx);
  hereOf(ctx).limits = { ...LIMITS, ...limits };
}

/** Delivers nothing more this way. The jobs of what has begun are due now: another process takes what is not claimed. */
export async function closeHandOff(ctx: Context): Promise<void> {
  const here = hereOf(ctx);
  here.limits = null;
  await makeDue(
    ctx,
    [...here.begun].map(([key, payload]) => ({ key, payload })),
  );
}

async function makeDue(ctx: Context, jobs: { key: string; payload: Jobs["send_emails"] }[]): Promise<void> {
  if (jobs.length === 0) return;
  try {
    await q.jobs.addKeyed(ctx, { task: "send_emails", jobs });
  } catch (error) {
    // They are due in some seconds.
    ctx.log.warn("jobs not made due", describeError(error));
  }
}

/**
 * Enqueues mails that were just accepted, in the transaction of `tx`. Where this process has room for them, one job for all
 * is due later, and the answer delivers them; null where they go through the queue.
 */
export async function enqueueHere(
  tx: Context,
  projectId: string,
  mails: QueuedMail[],
): Promise<HandOff | null> {
  const emailIds = mails.map((mail) => mail.id);
  if (emailIds.length === 0) return null;
  if (!hasRoom(tx, projectId, emailIds.length)) {
    await addSendJobs(tx, mails);
    return null;
  }
  const key = `delivery of ${emailIds[0]}`;
  const runAt = new Date(tx.now().getTime() + JOB_AFTER_MS);
  await addJob(tx, "send_emails", { projectId, emailIds, ...tracesOf(mails) }, { runAt, key });
  return { emailIds, begin: (handed) => void deliverHere(tx, { projectId, key }, handed) };
}

/** What a rate holds back has its turn in the queue: there it waits at no cost. */
function hasRoom(ctx: Context, projectId: string, mails: number): boolean {
  const { limits, ...here } = hereOf(ctx);
  if (limits === null || wayOf(ctx, projectId) !== "here" || isLimited(ctx, projectId)) return false;
  const ofProject = (here.ofProject.get(projectId) ?? 0) + mails;
  return here.chars < limits.chars && here.mails + mails <= limits.mails && ofProject <= limits.mailsOfOne;
}

async function deliverHere(
  { pool, ...tx }: Context,
  { projectId, key }: { projectId: string; key: string },
  mails: HandedMail[],
): Promise<void> {
  const ctx = { ...tx, pool, sql: pool };
  const here = hereOf(ctx);
  const payload = { projectId, emailIds: mails.map((mail) => mail.id) };
  // Told to stop while they were committed.
  if (here.limits === null) return await makeDue(ctx, [{ key, payload }]);
  const leave = countIn(here, projectId, mails);
  here.begun.set(key, payload);
  await Promise.all(mails.map((mail) => deliverOne(ctx, projectId, mail).finally(() => leave(mail))));
  here.begun.delete(key);
}

/** What does not succeed is left to the job. */
async function deliverOne(ctx: Context, projectId: string, mail: HandedMail): Promise<void> {
  try {
    await deliverHanded(ctx, projectId, mail);
  } catch (error) {
    ctx.log.debug("an accepted mail is left to its job", { emailId: mail.id, ...describeError(error) });
  }
}

/** Counts mails and their contents; each makes room when it ends, and a content with the last of its mails. */
function countIn(here: Here, projectId: string, mails: HandedMail[]): (mail: HandedMail) => void {
  const having = Map.groupBy(mails, ({ content }) => content);
  const left = new Map([...having].map(([content, some]) => [content, some.length]));
  const count = (by: number) => {
    const ofProject = (here.ofProject.get(projectId) ?? 0) + by;
    here.mails += by;
    if (ofProject === 0) here.ofProject.delete(projectId);
    else here.ofProject.set(projectId, ofProject);
  };
  count(mails.length);
  for (const content of left.keys()) here.chars += sizeOf(content);
  return ({ content }) => {
    count(-1);
    const others = left.get(content)! - 1;
    left.set(content, others);
    if (others === 0) here.chars -= sizeOf(content);
  };
}

function sizeOf(content: AcceptedContent | null): number {
  if (content === null) return 0;
  return content.html.length + (content.text?.length ?? 0) + (content.submitted?.length ?? 0);
}
