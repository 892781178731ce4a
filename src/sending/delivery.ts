// The send path from the ledger to the mailer and back. A row is SENDING, committed, before a socket is written to;
// its outcome, the events and the retry that follow from it are one statement. No transaction is open in between.
import { optOutContacts } from "../audience/contacts.ts";
import { type Context, inTransaction, perService } from "../context.ts";
import { isRefusal } from "../database_errors.ts";
import { q } from "../db/queries.ts";
import { describeError } from "../log.ts";
import type { Attachment } from "../mail/mailer.ts";
import { createCourier, type Errand } from "./_courier.ts";
import { compose } from "./compose.ts";
import type { ClaimedEmail } from "./emails.ts";
import { failed, type Outcome, outcomeOf, suppressed, withoutWords } from "./outcomes.ts";

/** A mail that this process has claimed. */
interface Parcel {
  email: ClaimedEmail;
  attachments: Attachment[];
}

/**
 * Sends these mails, those that are still PENDING, and resolves when the ledger knows what became of each. Called
 * twice for the same mail it sends it once: the second call finds nothing to claim.
 */
export async function deliverEmails(ctx: Context, projectId: string, emailIds: string[]): Promise<void> {
  const courier = courierOf(ctx);
  const ends = await Promise.allSettled(emailIds.map((emailId) => courier.deliver({ projectId, emailId })));
  // One that failed fails the job, but only when nothing of it is under way any more.
  const refused = ends.find((end) => end.status === "rejected");
  if (refused) throw refused.reason;
}

/** Lets go of mails that have not begun; their jobs go to another process. What is under way is finished. */
export function stopDelivery(ctx: Context): void {
  courierOf(ctx).stop();
}

/** Gives back rows that this process holds without knowing it: the answer to its claim was lost on the way. */
export async function releaseLostClaims(ctx: Context): Promise<number> {
  const { underway } = courierOf(ctx);
  const before = new Date(ctx.now().getTime() - 60_000);
  const held = await q.emails.heldBy(ctx, { workerId: ctx.workerId, before });
  const lost = held.filter((row) => !underway.has(row.id));
  if (lost.length === 0) return 0;
  await q.emails.putBack(ctx, {
    projectIds: lost.map((row) => row.projectId),
    ids: lost.map((row) => row.id),
    workerId: ctx.workerId,
  });
  return lost.length;
}

const courierOf = perService((ctx) =>
  createCourier<Parcel, Outcome>({
    connections: ctx.mailer.connections,
    turn: (outcomes, errands) => turn(ctx, outcomes, errands),
    carry: (parcel) => handOver(ctx, parcel),
  }),
);

/** Settles and claims in one commit; apart, when that fails: outcomes until they are written, claims only once. */
async function turn(
  ctx: Context,
  outcomes: Outcome[],
  errands: Errand[],
): Promise<Map<string, Parcel> | Error> {
  try {
    return await withAttachments(ctx, await settleAndClaim(ctx, outcomes, errands));
  } catch (error) {
    ctx.log.warn("outcomes not written yet", { mails: outcomes.length, ...describeError(error) });
    await settleUntilWritten(ctx, outcomes);
    return error as Error;
  }
}

/** Writes outcomes with all that follows from them, and takes mails. */
async function settleAndClaim(ctx: Context, outcomes: Outcome[], errands: Errand[]): Promise<ClaimedEmail[]> {
  const take = async (on: Context) => {
    const rows = await q.emails.turn(on, {
      workerId: ctx.workerId,
      now: ctx.now(),
      outcomes,
      projectIds: errands.map((errand) => errand.projectId),
      ids: errands.map((errand) => errand.emailId),
    });
    return rows.filter((row): row is ClaimedEmail => row.id !== null);
  };
  const bounced = outcomes.filter(({ status, contact_id }) => status === "BOUNCED" && contact_id !== null);
  if (bounced.length === 0) return await take(ctx);
  return await inTransaction(ctx, async (tx) => {
    const claimed = await take(tx);
    await optOutContacts(
      tx,
      bounced.map(({ project_id, contact_id }) => ({ projectId: project_id, contactId: contact_id! })),
    );
    return claimed;
  });
}

async function withAttachments(ctx: Context, emails: ClaimedEmail[]): Promise<Map<string, Parcel>> {
  const attachments = await loadAttachments(ctx, emails);
  return new Map(
    emails.map((email) => [email.id, { email, attachments: attachments.get(email.contentId ?? "") ?? [] }]),
  );
}

// Contents never change: what several mails under way carry is read once.
const MAX_CACHED_BYTES = 32 * 1_048_576;

const attachmentCaches = perService(() => new Map<string, Attachment[]>());

async function loadAttachments(ctx: Context, emails: ClaimedEmail[]): Promise<Map<string, Attachment[]>> {
  const cache = attachmentCaches(ctx);
  const wanted = emails.filter((email) => email.hasAttachments);
  const missing = wanted.filter((email) => !cache.has(email.contentId!));
  if (missing.length > 0) {
    const rows = await q.contents.attachments(ctx, {
      projectIds: missing.map((email) => email.projectId),
      contentIds: missing.map((email) => email.contentId!),
    });
    for (const [contentId, files] of Map.groupBy(rows, (row) => row.contentId)) {
      cache.set(contentId, files as unknown as Attachment[]);
    }
  }
  const loaded = new Map(wanted.map((email) => [email.contentId!, cache.get(email.contentId!)!]));
  shrink(cache);
  return loaded;
}

/** Forgets what was read first, until the rest is small enough. */
function shrink(cache: Map<string, Attachment[]>): void {
  const sizes = [...cache].map(([id, files]) => ({
    id,
    bytes: files.reduce((sum, file) => sum + file.content.byteLength, 0),
  }));
  let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { id, bytes } of sizes) {
    if (total <= MAX_CACHED_BYTES) return;
    cache.delete(id);
    total -= bytes;
  }
}

/** Sends one mail, unless something that happened since it was accepted speaks against it. Never throws. */
async function handOver(ctx: Context, { email, attachments }: Parcel): Promise<Outcome> {
  try {
    if (email.contactId === null) return suppressed(ctx, email, "The contact was deleted");
    if (email.contentId === null) return suppressed(ctx, email, "The content of this mail has expired");
    if (email.type === "MARKETING" && email.optedOutAt)
      return suppressed(ctx, email, "The contact has opted out");
    const mail = compose(ctx, email as Parameters<typeof compose>[1], attachments);
    return outcomeOf(ctx, email, mail, await ctx.mailer.send(mail));
  } catch (error) {
    // A fault of ours in one mail must not hold up the others.
    ctx.log.error("mail not composed", { emailId: email.id, ...describeError(error) });
    return failed(ctx, email, "The mail could not be composed");
  }
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
