// What every single mail passes on its way into the ledger, whatever requests it.
import { withinLimit } from "../../accounts/billing/usage.ts";
import { unverifiedAmong } from "../../accounts/projects/domains.ts";
import { optedOutAmong } from "../../audience/contacts/mod.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { problems } from "../../problem/mod.ts";
import { addSendJobs } from "../delivery/enqueue.ts";

/** What of a message decides who may get it. */
export interface Sendable {
  fromEmail: string;
  type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
  addresses: string[];
}

type LedgerRow = Parameters<Queries["emails"]["insertMany"]>[1]["rows"][number];

const NOTHING_MORE = { resend_of: null, data: null, scheduled_for: null, role: null, parent_id: null };

/** A new mail: for whom, and what it repeats or knows beyond its content. */
export type NewMail = Omit<LedgerRow, "resend_of" | "data" | "scheduled_for" | "role" | "parent_id"> &
  Partial<LedgerRow>;

/** Throws 403 for a sender whose domain is not verified, 400 for a MARKETING mail to somebody who has opted out. */
export async function assertMayBeSent(tx: Context, projectId: string, message: Sendable): Promise<void> {
  const [refusal] = await refusalsOf(tx, projectId, [message]);
  if (refusal) throw refusal;
}

/** For each of these messages what {@linkcode assertMayBeSent} throws, or null. */
export async function refusalsOf(
  tx: Context,
  projectId: string,
  messages: Sendable[],
): Promise<(Error | null)[]> {
  const marketed = messages.filter(({ type }) => type === "MARKETING").flatMap(({ addresses }) => addresses);
  const [unverified, optedOut] = await Promise.all([
    unverifiedAmong(
      tx,
      projectId,
      messages.map(({ fromEmail }) => fromEmail),
    ),
    marketed.length === 0 ? [] : optedOutAmong(tx, projectId, marketed),
  ]);
  const hasLeft = new Set(optedOut);
  return messages.map(({ fromEmail, type, addresses }) => {
    const left = type === "MARKETING" ? addresses.filter((address) => hasLeft.has(address)) : [];
    return unverified.get(fromEmail) ?? (left.length > 0 ? problems.optedOut([...new Set(left)]) : null);
  });
}

/**
 * Adds mails to the ledger, and answers those that are to be sent: one to a suppressed address has its row too. Throws 402
 * if less is left of this month's limit. The caller has written or locked the contacts, and enqueues what is answered.
 */
export async function addToLedger(
  tx: Context,
  projectId: string,
  mails: NewMail[],
): Promise<{ projectId: string; id: string; scheduledFor: Date | null }[]> {
  const rows = mails.map((mail) => ({ ...NOTHING_MORE, ...mail }));
  return await withinLimit(tx, q.emails.insertMany(tx, { projectId, now: tx.now(), rows }));
}

/** The same, with their jobs. */
export async function enterLedger(tx: Context, projectId: string, mails: NewMail[]): Promise<void> {
  await addSendJobs(tx, await addToLedger(tx, projectId, mails));
}

/** Makes mails found by their tags: `name:value`. */
export async function tagMails(
  tx: Context,
  projectId: string,
  mails: { emailIds: string[]; tags: readonly { name: string; value: string }[] }[],
): Promise<void> {
  const rows = mails.flatMap(({ emailIds, tags }) =>
    emailIds.flatMap((email_id) => tags.map(({ name, value }) => ({ email_id, tag: `${name}:${value}` }))),
  );
  if (rows.length > 0) await q.emails.tag(tx, { projectId, rows });
}
