// The send path from the ledger to the mailer and back. A row is SENDING, committed, before a socket is written to;
// its outcome, the events and the retry that follow from it are one statement. No transaction is open in between.
import { type Context, inTransaction, perService } from "../context.ts";
import { isRefusal } from "../database_errors.ts";
import { q } from "../db/queries.ts";
import { describeError } from "../log.ts";
import type { Attachment, Handover, MayEnd } from "../mail/mailer.ts";
import { createBatcher } from "../batcher.ts";
import { addJob, type Jobs } from "../jobs.ts";
import { metersOf } from "../meters.ts";
import { createWaiting, type Waiting } from "./_apart.ts";
import { createCampaignEnds } from "./_campaign_ends.ts";
import { type Admission, Apart, type Courier, createCourier, type Errand, Postponed } from "./_courier.ts";
import type { Verdict } from "./_domain_pace.ts";
import { createHandoverMarks, type HandoverMarks } from "./_handover_marks.ts";
import { giveUpOn, type Lost } from "./_giving_up.ts";
import { gateOf, type Way } from "./_server_gate.ts";
import type { Addressee, PreparedContent } from "./compose.ts";
import { knownContents, loadAttachments, prepareContents } from "./contents.ts";
import { NOT_SIGNED, sendSigned } from "./dkim.ts";
import type { ClaimedEmail } from "./emails.ts";
import { addSendJobs } from "./recovery.ts";
import { failed, type Outcome, outcomeOf, suppressed, withoutWords } from "./outcomes.ts";
import { reasonAgainst } from "./_reasons_against.ts";
import { admit } from "./send_rates.ts";

/** A mail that this process has claimed. */
interface Parcel {
  email: ClaimedEmail;
  /** Null when it has expired. */
  content: PreparedContent | null;
  attachments: Attachment[];
}

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
    underway: () => officeOf(ctx).courier.underway,
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
    turn: (outcomes, errands) => turn(ctx, outcomes, errands),
    carry: (parcel, pause) =>
      marksOf(ctx).onItsWay(parcel.email, (mayEnd) =>
        handOver(ctx, parcel, async () => {
          const goOn = pause();
          return await mayEnd().finally(goOn);
        }),
      ),
    waitingApart: (domain) => waiting.count(domain),
    settled: (loose) => {
      for (const errand of loose) finish(errand);
      if (gateOf(ctx).way === "here") waiting.fetch();
    },
  });
  const waiting = createWaiting(ctx, courier, finish);
  return { courier, waiting, domainOf: createDomainLookUp(ctx) };
});

/** Mails whose domains are looked up in one statement. */
const LOOK_UP = 500;

function createDomainLookUp(ctx: Context): Office["domainOf"] {
  return createBatcher<{ projectId: string; emailId: string }, string | null>(
    async (mails) => {
      const [projectIds, ids] = [mails.map((mail) => mail.projectId), mails.map((mail) => mail.emailId)];
      const rows = await q.emails.recipients(ctx, { projectIds, ids });
      const domains = new Map(rows.map((row) => [`${row.projectId} ${row.id}`, row.domain]));
      return mails.map(({ projectId, emailId }) => domains.get(`${projectId} ${emailId}`) ?? null);
    },
    { maxItems: LOOK_UP, maxFlights: 2 },
  );
}

/** The mail server lets nobody in: until then nothing is claimed. */
async function refuse(errands: Errand[]): Promise<Admission> {
  return { admitted: [], refused: errands.map((errand) => ({ errand, waitMs: Infinity })) };
}

/** Settles and claims in one commit; apart, when that fails: outcomes until they are written, claims only once. */
async function turn(
  ctx: Context,
  outcomes: Outcome[],
  errands: Errand[],
): Promise<Map<string, Parcel> | Error> {
  if (outcomes.length + errands.length === 0) return new Map();
  try {
    return await toParcels(ctx, await settleAndClaim(ctx, outcomes, errands));
  } catch (error) {
    ctx.log.warn("outcomes not written yet", { mails: outcomes.length, ...describeError(error) });
    await settleUntilWritten(ctx, outcomes);
    // An outcome that cannot be stored says nothing about the claims.
    if (isRefusal(error) && outcomes.length > 0) return await turn(ctx, [], errands);
    return error as Error;
  }
}

/** Writes outcomes with all that follows from them, and takes mails. */
async function settleAndClaim(ctx: Context, outcomes: Outcome[], errands: Errand[]): Promise<ClaimedEmail[]> {
  const campaigns = [...new Map(errands.map((errand) => [errand.campaignId, errand])).values()].filter(
    ({ campaignId }) => campaignId !== null,
  );
  if (errands.length > 0) await marksOf(ctx).noted();
  const take = async (on: Context) => {
    const rows = await q.emails.turn(on, {
      workerId: ctx.workerId,
      now: ctx.now(),
      outcomes,
      projectIds: errands.map((errand) => errand.projectId),
      ids: errands.map((errand) => errand.emailId),
      campaignProjectIds: campaigns.map((errand) => errand.projectId),
      campaignIds: campaigns.map((errand) => errand.campaignId!),
      knownContents: knownContents(ctx),
    });
    return rows.filter((row): row is ClaimedEmail => row.id !== null);
  };
  const bounced = outcomes.filter(({ status }) => status === "BOUNCED");
  const captured = outcomes.filter(({ status }) => status === "CAPTURED");
  const claimed =
    bounced.length + captured.length === 0
      ? await take(ctx)
      : await inTransaction(ctx, async (tx) => {
          if (captured.length > 0) await giveBackUsage(tx, captured);
          const taken = await take(tx);
          await giveUpOn(tx, bounced.map(lostBy));
          return taken;
        });
  for (const { status } of outcomes) metersOf(ctx).mails.inc({ outcome: status });
  return claimed;
}

async function giveBackUsage(tx: Context, captured: Outcome[]): Promise<void> {
  await q.usage.giveBack(tx, {
    workerId: tx.workerId,
    projectIds: captured.map((outcome) => outcome.project_id),
    ids: captured.map((outcome) => outcome.id),
  });
}

function lostBy({ project_id, contact_id, address }: Outcome): Lost {
  return { projectId: project_id, contactId: contact_id, address, reason: "BOUNCE" };
}

async function toParcels(ctx: Context, emails: ClaimedEmail[]): Promise<Map<string, Parcel>> {
  const contents = prepareContents(ctx, emails);
  const attachments = await loadAttachments(ctx, emails);
  return new Map(
    emails.map((email) => [
      email.id,
      {
        email,
        content: contents.get(email.contentId ?? "") ?? null,
        attachments: attachments.get(email.contentId ?? "") ?? [],
      },
    ]),
  );
}

/** Sends one mail, unless something that happened since it was accepted speaks against it. Never throws. */
async function handOver(
  ctx: Context,
  { email, content, attachments }: Parcel,
  mayEnd: MayEnd,
): Promise<Handed> {
  const known = content ?? { fromEmail: null };
  try {
    const reason = reasonAgainst(email, content?.type ?? null);
    if (reason !== null) return unsent(suppressed(ctx, email, known.fromEmail, reason));
    const mail = await content!.compose(addresseeOf(email), attachments);
    const handover = await sendSigned(ctx, content!, mail, mayEnd);
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

// The outcome is known only here: as long as this process lives, it is not given up.
async function settleUntilWritten(ctx: Context, outcomes: Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 5_000)) {
    try {
      await settleAndClaim(ctx, outcomes, []);
      return;
    } catch (error) {
      if (!isRefusal(error)) await Bun.sleep(pauseMs);
      else if (outcomes.length > 1) return await settleEach(ctx, outcomes);
      // What a server said, or a value of ours, cannot be stored: the outcome itself matters more.
      else outcomes = [withoutWords(outcomes[0]!)];
    }
  }
}

/** One by one, so that the outcome which the database refuses does not hold up the others. */
async function settleEach(ctx: Context, outcomes: Outcome[]): Promise<void> {
  for (const outcome of outcomes) await settleUntilWritten(ctx, [outcome]);
}
