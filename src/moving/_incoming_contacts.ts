import { dataErrors, sortData } from "../audience/contacts/data.ts";
import { addMembers } from "../audience/segments/members.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { parseAddress } from "../mail/address.ts";
import { type SuppressionReason, suppressAddresses } from "../sending/suppressions.ts";
import type { Incoming, IncomingContact } from "./incoming_types.ts";

/** Takes contacts in: those that cannot be used are left out, each with the reason. */
export async function takeContacts(
  tx: Context,
  incoming: Incoming,
  contacts: IncomingContact[],
): Promise<void> {
  const counts = incoming.counts.contacts;
  counts.read += contacts.length;
  // Of one address that comes twice, whoever has unsubscribed once has unsubscribed.
  const good = new Map<string, IncomingContact>();
  for (const contact of contacts) {
    const usable = usableOf(incoming, contact);
    if (!usable) continue;
    const twin = good.get(usable.email);
    good.set(usable.email, twin ? mergedOf(twin, usable) : usable);
  }
  const usable = [...good.values()];
  counts.unsubscribed += usable.filter(({ subscribed }) => !subscribed).length;
  const suppressed = usable.flatMap(({ email, suppressed: reason }) => (reason ? [{ email, reason }] : []));
  incoming.counts.suppressions += suppressed.length;
  if (incoming.dryRun) return await foresee(tx, incoming, usable);
  const { projectId } = incoming;
  const rows = usable.map(({ email, subscribed, data, createdAt }) => {
    return { email, subscribed, data, created_at: timeOf(createdAt) };
  });
  const { created, changed } = await q.incoming.takeIn(tx, { projectId, rows, now: tx.now() });
  await suppressAddresses(
    tx,
    suppressed.map((row) => ({ projectId, ...row })),
  );
  for (const [list, emails] of byList(usable)) await takeMembers(tx, incoming, list, emails);
  counts.created += created;
  counts.changed += changed;
}

/** Puts contacts that are here into a static segment, by its id there. */
export async function takeMembers(
  tx: Context,
  { projectId, ids, dryRun }: Incoming,
  list: string,
  emails: string[],
): Promise<void> {
  const segmentId = ids.get(list);
  if (segmentId === undefined || dryRun) return;
  await addMembers(tx, projectId, segmentId, { emails, createMissing: false, subscribed: false });
}

/** Puts addresses on the suppression list; what is no address is left out. */
export async function takeSuppressions(
  tx: Context,
  { projectId, dryRun, counts, leftOut }: Incoming,
  given: { email: string; reason: SuppressionReason }[],
): Promise<void> {
  const rows = given.flatMap(({ email: text, reason }) => {
    const email = parseAddress(text)?.email;
    if (email !== undefined) return [{ projectId, email, reason }];
    leftOut.push({ what: `suppression of ${text.slice(0, 100)}`, why: "this is not an email address" });
    return [];
  });
  counts.suppressions += rows.length;
  if (!dryRun) await suppressAddresses(tx, rows);
}

async function foresee(tx: Context, incoming: Incoming, contacts: IncomingContact[]): Promise<void> {
  const { projectId, counts } = incoming;
  const emails = contacts.map(({ email }) => email);
  const known = await q.contactAddresses.among(tx, { projectId, emails });
  counts.contacts.created += contacts.length - known.length;
}

function usableOf({ counts, leftOut }: Incoming, contact: IncomingContact): IncomingContact | null {
  const email = parseAddress(contact.email)?.email ?? null;
  const data = sortData(contact.data).sets;
  const wrong = email === null ? "this is not an email address" : dataErrors(data)[0]?.message;
  if (email !== null && wrong === undefined) {
    // Whoever must not get mail has not subscribed either.
    return { ...contact, email, data, subscribed: contact.subscribed && !contact.suppressed };
  }
  counts.contacts.refused += 1;
  leftOut.push({ what: `contact ${contact.email.slice(0, 100)}`, why: wrong ?? "" });
  return null;
}

function mergedOf(one: IncomingContact, other: IncomingContact): IncomingContact {
  return {
    ...one,
    subscribed: one.subscribed && other.subscribed,
    suppressed: one.suppressed ?? other.suppressed ?? null,
    lists: [...(one.lists ?? []), ...(other.lists ?? [])],
    data: { ...other.data, ...one.data },
  };
}

function byList(contacts: IncomingContact[]): [string, string[]][] {
  const lists = new Map<string, string[]>();
  for (const { email, lists: of = [] } of contacts) {
    for (const list of of) {
      const emails = lists.get(list);
      if (emails) emails.push(email);
      else lists.set(list, [email]);
    }
  }
  return [...lists].toSorted(([one], [other]) => one.localeCompare(other));
}

function timeOf(text: string | null | undefined): string | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
