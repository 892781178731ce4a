import { dataErrors, sortData } from "../audience/contacts/data.ts";
import { addMembers } from "../audience/segments/members.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { parseAddress } from "../mail/address.ts";
import { suppressAddresses } from "../sending/suppressions.ts";
import { type Incoming, type IncomingContact, leaveOut } from "./incoming_types.ts";

/** Contacts of a commit. */
const BATCH = 500;

/** Takes contacts in: those that cannot be used are left out, each with the reason. */
export async function takeContacts(
  ctx: Context,
  incoming: Incoming,
  contacts: IncomingContact[],
): Promise<void> {
  const { report } = incoming;
  report.contacts.read += contacts.length;
  // Of one address that comes twice, whoever has unsubscribed once has unsubscribed.
  const good = new Map<string, IncomingContact>();
  for (const contact of contacts) {
    const usable = usableOf(incoming, contact);
    if (!usable) continue;
    const twin = good.get(usable.email);
    good.set(usable.email, twin ? mergedOf(twin, usable) : usable);
  }
  const rows = [...good.values()];
  report.contacts.unsubscribed += rows.filter(({ subscribed }) => !subscribed).length;
  for (let from = 0; from < rows.length; from += BATCH)
    await takeBatch(ctx, incoming, rows.slice(from, from + BATCH));
}

function usableOf(incoming: Incoming, contact: IncomingContact): IncomingContact | null {
  const email = parseAddress(contact.email)?.email ?? null;
  const data = sortData(contact.data).sets;
  const wrong = email === null ? "this is not an email address" : dataErrors(data)[0]?.message;
  if (email !== null && wrong === undefined) {
    // Whoever must not get mail has not subscribed either.
    return { ...contact, email, data, subscribed: contact.subscribed && !contact.suppressed };
  }
  incoming.report.contacts.refused += 1;
  leaveOut(incoming, `contact ${contact.email.slice(0, 100)}`, wrong ?? "");
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

async function takeBatch(ctx: Context, incoming: Incoming, contacts: IncomingContact[]): Promise<void> {
  const { projectId, dryRun, report, ids } = incoming;
  const suppressed = contacts.flatMap(({ email, suppressed: reason }) =>
    reason ? [{ projectId, email, reason }] : [],
  );
  report.suppressions += suppressed.length;
  if (dryRun) {
    const emails = contacts.map(({ email }) => email);
    const known = await q.contactAddresses.among(ctx, { projectId, emails });
    report.contacts.created += contacts.length - known.length;
    return;
  }
  const rows = contacts.map(({ email, subscribed, data, createdAt }) => {
    return { email, subscribed, data, created_at: timeOf(createdAt) };
  });
  await inTransaction(ctx, async (tx) => {
    const { created, changed } = await q.incoming.takeIn(tx, { projectId, rows, now: tx.now() });
    await suppressAddresses(tx, suppressed);
    for (const [list, emails] of byList(contacts)) {
      const segmentId = ids.get(list);
      if (segmentId === undefined) continue;
      await addMembers(tx, projectId, segmentId, { emails, createMissing: false, subscribed: false });
    }
    report.contacts.created += created;
    report.contacts.changed += changed;
  });
}

function byList(contacts: IncomingContact[]): [string, string[]][] {
  const lists = new Map<string, string[]>();
  for (const { email, lists: of = [] } of contacts) {
    for (const list of of) lists.set(list, [...(lists.get(list) ?? []), email]);
  }
  return [...lists].toSorted(([one], [other]) => one.localeCompare(other));
}

function timeOf(text: string | null | undefined): string | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
