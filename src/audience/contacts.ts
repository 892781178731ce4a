import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import type { DataChange } from "./contact_data.ts";
import { recordEvents } from "./events.ts";

/** What is to become of one contact. */
export interface ContactWrite {
  projectId: string;
  /** Trimmed and lower-case. */
  email: string;
  /** Left out: a new contact takes `subscribedDefault`, an existing one keeps what it has. */
  subscribed: boolean | undefined;
  subscribedDefault: boolean;
  change: DataChange;
}

/** A contact as it is after a write. */
export interface WrittenContact {
  id: string;
  email: string;
  subscribed: boolean;
  isNew: boolean;
}

/**
 * Creates or updates contacts, each address once, in one statement, and records each real change of a subscription.
 * Answers them by {@linkcode contactKey}. Several calls at once lose nothing of each other.
 */
export async function upsertContacts(
  tx: Context,
  writes: ContactWrite[],
): Promise<Map<string, WrittenContact>> {
  const rows = writes.map(({ projectId, email, subscribed, subscribedDefault, change }) => ({
    project_id: projectId,
    email,
    subscribed: subscribed ?? subscribedDefault,
    sets: change.sets,
  }));
  const written = await q.contacts.upsertMany(tx, { rows, changes: changesOf(writes) });
  await recordEvents(
    tx,
    written
      .filter((contact) => contact.wasSubscribed !== null && contact.wasSubscribed !== contact.subscribed)
      .map(({ projectId, id, subscribed }) => ({
        projectId,
        contactId: id,
        name: subscriptionEvent(subscribed),
      })),
  );
  return new Map(
    written.map(({ projectId, id, email, subscribed, wasSubscribed }) => [
      contactKey(projectId, email),
      { id, email, subscribed, isNew: wasSubscribed === null },
    ]),
  );
}

/** Where {@linkcode upsertContacts} keeps a contact. */
export function contactKey(projectId: string, email: string): string {
  return `${projectId} ${email}`;
}

/** Unsubscribes contacts for good reason (a bounce, a complaint) and records it for those that were subscribed. */
export async function optOutContacts(
  tx: Context,
  contacts: { projectId: string; contactId: string }[],
): Promise<void> {
  const changed = await q.contacts.optOutMany(tx, {
    projectIds: contacts.map((contact) => contact.projectId),
    contactIds: contacts.map((contact) => contact.contactId),
  });
  await recordEvents(
    tx,
    changed.map(({ projectId, id }) => ({ projectId, contactId: id, name: subscriptionEvent(false) })),
  );
}

/** Which of these addresses have opted out of mail: unsubscribed after having been subscribed. */
export async function optedOutAmong(tx: Context, projectId: string, emails: string[]): Promise<string[]> {
  return (await q.contacts.optedOut(tx, { projectId, emails })).map((row) => row.email);
}

function subscriptionEvent(subscribed: boolean): string {
  return subscribed ? "contact.subscribed" : "contact.unsubscribed";
}

/** What existing rows need besides the values to set; see `contacts.upsert_many`. */
function changesOf(writes: ContactWrite[]): Record<string, { subscribed?: boolean; deletes?: string[] }> {
  const changes: Record<string, { subscribed?: boolean; deletes?: string[] }> = {};
  for (const { projectId, email, subscribed, change } of writes) {
    if (subscribed === undefined && change.deletes.length === 0) continue;
    changes[contactKey(projectId, email)] = {
      ...(subscribed !== undefined && { subscribed }),
      ...(change.deletes.length > 0 && { deletes: change.deletes }),
    };
  }
  return changes;
}
