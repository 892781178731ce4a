// What every single mail passes on its way into the ledger, whoever asks for it.
import { withinLimit } from "../../accounts/billing/usage.ts";
import { assertSenderVerified } from "../../accounts/projects/domains.ts";
import { optedOutAmong } from "../../audience/contacts/mod.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { problems } from "../../problem/mod.ts";
import { addSendJobs } from "../delivery/enqueue.ts";

/** What of a message decides who may get it. */
interface Sendable {
  projectId: string;
  fromEmail: string;
  type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
}

type LedgerRow = Parameters<Queries["emails"]["insertMany"]>[1]["rows"][number];

/** A new mail: for whom, and what it repeats or knows beyond its content. */
export type NewMail = Omit<LedgerRow, "resend_of" | "data"> & Partial<LedgerRow>;

/** Throws 403 for a sender whose domain is not verified, 400 for a MARKETING mail to somebody who has opted out. */
export async function assertMayBeSent(
  tx: Context,
  { projectId, fromEmail, type }: Sendable,
  addresses: string[],
): Promise<void> {
  await assertSenderVerified(tx, projectId, fromEmail);
  if (type !== "MARKETING") return;
  const optedOut = await optedOutAmong(tx, projectId, addresses);
  if (optedOut.length > 0) throw problems.optedOut(optedOut);
}

/**
 * Adds mails of one content to the ledger, with their jobs. One to a suppressed address has its row too, but no job. Throws
 * 402 where less is left of this month's limit. The caller has written or locked the contacts.
 */
export async function enterLedger(
  tx: Context,
  { projectId, id: contentId, templateId }: { projectId: string; id: string; templateId: string | null },
  mails: NewMail[],
): Promise<void> {
  const rows = mails.map(({ resend_of = null, data = null, ...mail }) => ({ ...mail, resend_of, data }));
  const now = tx.now();
  const inserting = q.emails.insertMany(tx, { projectId, contentId, templateId, now, rows });
  await addSendJobs(tx, await withinLimit(tx, inserting));
}
