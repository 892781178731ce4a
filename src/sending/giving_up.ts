// Whom nothing is sent to any more after a bounce or a complaint (guides/domains.md).
import { isSandbox } from "../accounts/projects/sandbox_id.ts";
import { optOutContacts } from "../audience/contacts/mod.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { simulatedBy } from "../mail/simulator.ts";
import { suppressAddresses } from "./suppressions.ts";

/** A mail that came to a bad end. */
export interface Lost {
  projectId: string;
  /** Null if the contact was deleted, or there never was one. */
  contactId: string | null;
  /** The recipient's address; null if it is unknown by now. */
  address: string | null;
  reason: "BOUNCE" | "COMPLAINT";
}

/**
 * Suppresses these addresses, and unsubscribes their contacts. A bounce counts against the address alone: a contact who
 * has another one by now keeps the subscription. A complaint is the person's. The addresses that bounce for tests are not
 * suppressed: they are to bounce the next time, too.
 */
export async function giveUpOn(tx: Context, lost: Lost[]): Promise<void> {
  if (lost.length === 0) return;
  await suppressAddresses(
    tx,
    lost.flatMap(({ projectId, address, reason }) =>
      address === null || isForTests(projectId, address) ? [] : [{ projectId, email: address, reason }],
    ),
  );
  const contacts = lost.flatMap(({ projectId, contactId, address, reason }) =>
    contactId === null
      ? []
      : [{ project_id: projectId, contact_id: contactId, address, complained: reason === "COMPLAINT" }],
  );
  if (contacts.length === 0) return;
  const held = await q.feedback.holdLost(tx, { lost: contacts });
  await optOutContacts(
    tx,
    held.map(({ projectId, id }) => ({ projectId, contactId: id })),
  );
}

function isForTests(projectId: string, address: string): boolean {
  return isSandbox(projectId) && simulatedBy(address) !== null;
}
