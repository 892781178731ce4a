import { type Actor, recordAudit } from "../../accounts/audit.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJobs } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";

/**
 * Deletes contacts permanently and returns the ids of those that existed. Their mails stay in the ledger, under a hash in
 * place of the address; unsent mails are SUPPRESSED. Requests that name them lose their bodies, and copies that were
 * captured are deleted. Inside a transaction.
 */
export async function deleteContacts(
  tx: Context,
  projectId: string,
  contactIds: string[],
): Promise<string[]> {
  if (contactIds.length === 0) return [];
  // Executions and mails first and contacts second, as workflows run and the outcomes of a delivery are written: the other
  // way round they would meet crosswise. What came in between is found by the second look.
  await q.contactDeletion.endExecutions(tx, { projectId, contactIds, now: tx.now() });
  await q.contactDeletion.partWithCaptured(tx, { projectId, contactIds });
  await q.contactDeletion.partWithEmails(tx, { projectId, contactIds });
  await q.contactDeletion.hold(tx, { projectId, contactIds });
  await q.contactDeletion.keepOut(tx, { projectId });
  await q.contactDeletion.endExecutions(tx, { projectId, contactIds, now: tx.now() });
  await q.contactDeletion.partWithCaptured(tx, { projectId, contactIds });
  await q.contactDeletion.partWithEmails(tx, { projectId, contactIds });
  await q.contactDeletion.partWithRequests(tx, { projectId, contactIds });
  const segmentIds = (await q.segments.holding(tx, { projectId, contactIds })).map((row) => row.segmentId);
  const deleted = await q.contactDeletion.deleteMany(tx, { projectId, contactIds });
  // Counted in a job: a deletion that held the segments would meet their upkeep crosswise.
  if (segmentIds.length > 0) await addJobs(tx, "recount_segments", [{ projectId, segmentIds }]);
  return deleted.map((contact) => contact.id);
}

/**
 * Deletes one contact. The audit log keeps a receipt: the hash that its mails have in place of the address, and how much was
 * deleted with it. Throws CONTACT_NOT_FOUND.
 */
export async function deleteContact(
  ctx: Context,
  projectId: string,
  contactId: string,
  actor: Actor,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const receipt = await q.contactDeletion.receipt(tx, { projectId, contactId });
    const deleted = await deleteContacts(tx, projectId, [contactId]);
    if (!receipt || deleted.length === 0) throw problems.contactNotFound(contactId);
    const { hash: subject, ...details } = receipt;
    await recordAudit(tx, { projectId, actor, action: "contact.erased", subject, details });
  });
}
