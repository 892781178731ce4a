// The send path from the ledger to the mailer and back. A row is SENDING, committed, before a socket is written to;
// its outcome, the events and the retry that follow from it are one statement. No transaction is open in between.
import { type Context, inTransaction, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import type { Handover } from "../../mail/mailer.ts";
import { createBatcher } from "../../batcher.ts";
import { addJob, type Jobs } from "../../jobs.ts";
import { createWaiting, type Waiting } from "./_apart.ts";
import { createCampaignEnds } from "./campaign_ends.ts";
import { type Courier, createCourier } from "./_dispatcher.ts";
import { type Admission, Apart, type Errand, Postponed } from "./_requests.ts";
import type { Verdict } from "./_domain_pace.ts";
import { createHandoverMarks, type HandoverMarks } from "./_handover_marks.ts";
import { gateOf, type Way } from "./server_gate.ts";
import type { Addressee } from "../compose/mod.ts";
import { NOT_SIGNED, type OnItsWay, sendSigned } from "./_dkim.ts";
import type { ClaimedEmail } from "./emails.ts";
import { addSendJobs } from "./recovery.ts";
import { failed, type Outcome, outcomeOf, suppressed } from "./outcomes.ts";
import { type Parcel, turn } from "./_batches.ts";
import { reasonAgainst } from "./reasons_against.ts";
import { admit } from "./rates.ts";

/** A mail, and the domain of its recipient. */
interface Addressed {
  id: string;
  domain: string;
}

/** Mails that have to wait because of a rate, and for how long at least; Infinity when the mail server lets nobody in. */
interface Delivered {
  postponed: string[];
  waitMs: number;
}

/**
 * Sends these mails, those that are still PENDING, and resolves when the ledger knows what became of each, but for those
 * whose domain has no room: they wait apart. Called twice for the same mail it sends it once: the second call finds nothing
 * to claim.
 */
export async function deliverEmails(ctx: Context, projectId: string, emailIds: string[]): Promise<Delivered> {
  const { domainOf } = officeOf(ctx);
  const domains = await Promise.all(emailIds.map((emailId) => domainOf({ projectId, emailId })));
  const emails = emailIds.flatMap((id, i) => (domains[i] === null ? [] : [{ id, domain: domains[i]! }]));
  return await deliver(ctx, projectId, emails, null);
}

/** The same for mails of a campaign. Those whose server takes long are let go of: they are under way. */
export async function deliverBatch(
  ctx: Context,
  projectId: string,
  emails: Addressed[],
  campaignId: string,
): Promise<Delivered> {
  return await deliver(ctx, projectId, emails, campaignId);
}

async function deliver(
  ctx: Context,
  projectId: string,
  emails: Addressed[],
  campaignId: string | null,
): Promise<Delivered> {
  const { courier, waiting } = officeOf(ctx);
  const carry = async (errand: Errand): Promise<void> => {
    try {
      await courier.deliver(errand);
    } catch (reason) {
      if (!(reason instanceof Apart)) throw reason;
      await waiting.add(errand, reason.isFailing);
    }
  };
  const ends = await Promise.allSettled(
    emails.map(({ id, domain }) => carry({ projectId, emailId: id, campaignId, domain })),
  );
  const refusals = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  // One that failed fails the job, but only when nothing of it is under way any more.
  const failure = refusals.find((reason) => !(reason instanceof Postponed));
  if (failure) throw failure;
  const waits = (refusals as Postponed[]).map((postponed) => postponed.waitMs);
  return {
    postponed: emails.flatMap(({ id }, i) => (ends[i]!.status === "rejected" ? [id] : [])),
    waitMs: Math.min(...waits, Infinity),
  };
}

/**
 * Sends single mails, and leaves to a later job what has to wait for a rate. While nobody reaches the mail server nothing
 * is kept in the queue: whoever reaches it again gives a job to all that is due. Where others reach it, it is theirs.
 */
export async function sendSingle(ctx: Context, { projectId, emailIds }: Jobs["send_emails"]): Promise<void> {
  const leads = (way: Way) => gateOf(ctx).way === way;
  if (leads("elsewhere")) await gateOf(ctx).opened(CLOSED_WAIT_MS);
  if (leads("nowhere")) return;
  const { postponed, waitMs } = await deliverEmails(ctx, projectId, emailIds);
  if (postponed.length === 0 || (waitMs === Infinity && leads("nowhere"))) return;
  const runAt = new Date(ctx.now().getTime() + (waitMs === Infinity ? 0 : waitMs));
  await addJob(ctx, "send_emails", { projectId, emailIds: postponed }, { runAt });
}

/** Whether mail can go to its server, from here or from another process. */
export function reachesMailServer(ctx: Context): boolean {
  return gateOf(ctx).way !== "nowhere";
}

/** Fetches mails that wait apart, where there is room. */
export async function fetchApart(ctx: Context): Promise<void> {
  await officeOf(ctx).waiting.lookAround();
}

/**
 * Lets go of mails that have not begun; their jobs go to another process. Resolves when what is under way is finished,
 * also what no job waits for.
 */
export async function stopDelivery(ctx: Context): Promise<void> {
  gateOf(ctx).stop();
  await officeOf(ctx).courier.stop();
}

/** Gives back rows that this process holds without knowing it: the answer to its claim was lost on the way. */
export async function releaseLostClaims(ctx: Context): Promise<number> {
  const { underway } = officeOf(ctx).courier;
  const before = new Date(ctx.now().getTime() - LOST_AFTER_MS);
  const held = await q.emails.heldBy(ctx, { workerId: ctx.workerId, before });
  const lost = held.filter((row) => !underway.has(row.id));
  if (lost.length === 0) return 0;
  return await inTransaction(ctx, async (tx) => {
    const put = await q.emails.putBack(tx, {
      projectIds: lost.map((row) => row.projectId),
      ids: lost.map((row) => row.id),
      workerId: tx.workerId,
    });
    // Their jobs have failed by now, and come back late.
    await addSendJobs(tx, put);
    return put.length;
  });
}

/** A job waits so long for a way to the mail server, before it comes again. */
export const CLOSED_WAIT_MS = 2_000;

/** An answer to a claim that has not come by now does not come any more. */
const LOST_AFTER_MS = 20_000;

/** The marks of this process: which of its mails may have been sent. */
const marksOf = perService((ctx): HandoverMarks =>
  createHandoverMarks(ctx, {
    connections: ctx.mailer.connections,
    underway: officeOf(ctx).courier.underway,
  }),
);

/** What belongs together in one process. */
interface Office {
  courier: Courier;
  waiting: Waiting;
  /** The domain of a mail that is still to be sent; null for others. */
  domainOf(mail: { projectId: string; emailId: string }): Promise<string | null>;
}

const officeOf = perService((ctx): Office => {
  const finish = createCampaignEnds(ctx);
  const courier: Courier = createCourier<Parcel, Outcome>({
    connections: ctx.mailer.connections,
    now: () => ctx.now().getTime(),
    admit: (errands) => (gateOf(ctx).way === "here" ? admit(ctx, errands) : refuse(errands)),
    turn: (outcomes, errands) => turn(ctx, marksOf(ctx).noted, outcomes, errands),
    carry: (parcel, pause) =>
      marksOf(ctx).onItsWay(parcel.email, (mayEnd) => {
        const leaves = pause();
        const mayEndInTime = async () => {
          const goOn = pause();
          return await mayEnd().finally(goOn);
        };
        return handOver(ctx, parcel, { mayEnd: mayEndInTime, leaves });
      }),
    waitingApart: (domain) => waiting.count(domain),
    settled: (loose) => {
      for (const errand of loose) finish(errand);
      if (gateOf(ctx).way === "here") waiting.fetch();
    },
  });
  const waiting = createWaiting(ctx, courier, finish);
  const isBusy = () => courier.underway.size * 3 > ctx.mailer.connections;
  return { courier, waiting, domainOf: createDomainLookUp(ctx, isBusy) };
});

/** Mails whose domains are looked up in one statement. */
const LOOK_UP = 500;
/** While others are under way a mail waits so long for more to be looked up with: one costs as much as ten. */
const GATHER_MS = 5;

function createDomainLookUp(ctx: Context, isBusy: () => boolean): Office["domainOf"] {
  const find = createBatcher<{ projectId: string; emailId: string }, string | null>(
    async (mails) => {
      const [projectIds, ids] = [mails.map((mail) => mail.projectId), mails.map((mail) => mail.emailId)];
      const rows = await q.emails.recipients(ctx, { projectIds, ids });
      const domains = new Map(rows.map((row) => [`${row.projectId} ${row.id}`, row.domain]));
      return mails.map(({ projectId, emailId }) => domains.get(`${projectId} ${emailId}`) ?? null);
    },
    { maxItems: LOOK_UP, maxFlights: 2 },
  );
  let gathering: Promise<void> | null = null;
  return async (mail) => {
    if (isBusy()) await (gathering ??= Bun.sleep(GATHER_MS).then(() => void (gathering = null)));
    return await find(mail);
  };
}

/** The mail server lets nobody in: until then nothing is claimed. */
async function refuse(errands: Errand[]): Promise<Admission> {
  return { admitted: [], refused: errands.map((errand) => ({ errand, waitMs: Infinity })) };
}

/** Sends one mail, unless something that happened since it was accepted speaks against it. Never throws. */
async function handOver(
  ctx: Context,
  { email, content, attachments }: Parcel,
  way: OnItsWay,
): Promise<Handed> {
  const known = content ?? { fromEmail: null };
  try {
    const reason = reasonAgainst(email, content?.type ?? null);
    if (reason !== null) return unsent(suppressed(ctx, email, known.fromEmail, reason));
    const mail = await content!.compose(addresseeOf(email), attachments);
    const handover = await sendSigned(ctx, content!, mail, way);
    if (handover.state === "unreached") gateOf(ctx).shut(handover.response);
    return { outcome: outcomeOf(ctx, email, content!, mail, handover), verdict: verdictOf(handover) };
  } catch (error) {
    // A fault of ours in one mail must not hold up the others.
    ctx.log.error("mail not composed", { emailId: email.id, ...describeError(error) });
    return unsent(failed(ctx, email, known.fromEmail, "The mail could not be composed"));
  }
}

/** What became of a mail, and what it says about the domain of its recipient. */
interface Handed {
  outcome: Outcome;
  verdict: Verdict;
}

function unsent(outcome: Outcome): Handed {
  return { outcome, verdict: "unknown" };
}

function verdictOf({ state, response }: Handover): Verdict {
  if (state === "unreached" || state === "withheld" || response === NOT_SIGNED) return "unknown";
  return state === "deferred" || state === "in_doubt" ? "deferred" : "answered";
}

function addresseeOf(email: ClaimedEmail): Addressee {
  const { id, address, toName, contactId, subscribed, contactData, ownData } = email;
  const contact =
    contactId === null
      ? null
      : { id: contactId, subscribed: subscribed!, data: contactData as Record<string, unknown> };
  return { emailId: id, address, toName, contact, data: ownData as Record<string, unknown> | null };
}
