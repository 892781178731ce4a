import { type Context, inTransaction } from "../../context.ts";
import { violatedConstraint } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import { deleteContacts } from "./deletion.ts";
import { type DataChange, dataErrors, type DataInput, dataProblem, sortData } from "./data.ts";
import { recordEvents } from "../events.ts";
import type { GivenValues } from "../standard_fields.ts";

/** What is to happen to one contact. */
export interface ContactWrite {
  projectId: string;
  /** Trimmed and lower-case. */
  email: string;
  /** What is left out an existing contact keeps; a new one takes `subscribedDefault`. */
  given: GivenValues;
  subscribedDefault: boolean;
  change: DataChange;
}

/** A contact after a write. */
export interface WrittenContact {
  id: string;
  email: string;
  subscribed: boolean;
  isNew: boolean;
}

/**
 * Creates or updates contacts, each address once, in one statement, and records each real change of a subscription.
 * Returns them by {@linkcode contactKey}. Concurrent calls lose nothing of each other. A contact that a reset is about to
 * delete is replaced by a new one at once. Whatever writes to contacts fires triggers: `contacts_count_added`,
 * `contacts_count_changed` and `contacts_count_removed` count contacts and their fields, `contacts_note_added` and
 * `contacts_note_changed` note them for tracked segments.
 */
export async function upsertContacts(
  tx: Context,
  writes: ContactWrite[],
): Promise<Map<string, WrittenContact>> {
  const written = await writeRows(tx, writes);
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

type Written = Awaited<ReturnType<Queries["contacts"]["upsertMany"]>>;

async function writeRows(tx: Context, writes: ContactWrite[]): Promise<Written> {
  const rows = writes.map(contactRow);
  const written = await q.contacts.upsertMany(tx, { rows, changes: contactChanges(writes) });
  const outgoing = written.filter((contact) => contact.isOutgoing);
  if (outgoing.length === 0) return written;
  for (const [projectId, contacts] of Map.groupBy(outgoing, (contact) => contact.projectId)) {
    await deleteContacts(
      tx,
      projectId,
      contacts.map((contact) => contact.id),
    );
  }
  const taken = new Set(outgoing.map(({ projectId, email }) => contactKey(projectId, email)));
  const again = writes.filter(({ projectId, email }) => taken.has(contactKey(projectId, email)));
  return [...written.filter((contact) => !contact.isOutgoing), ...(await writeRows(tx, again))];
}

/** A contact as `upsert_contacts` takes it. */
export function contactRow({ projectId, email, given, subscribedDefault, change }: ContactWrite) {
  return {
    project_id: projectId,
    email,
    subscribed: given.subscribed ?? subscribedDefault,
    sets: change.sets,
  };
}

/** Where {@linkcode upsertContacts} keeps a contact. */
export function contactKey(projectId: string, email: string): string {
  return `${projectId} ${email}`;
}

/** Which of these addresses belong to contacts that somebody else has locked now. */
export async function heldContacts(ctx: Context, projectId: string, emails: string[]): Promise<Set<string>> {
  return new Set((await q.contactAddresses.heldAmong(ctx, { projectId, emails })).map((row) => row.email));
}

/** Unsubscribes contacts after a bounce or complaint, and records it for those that were subscribed. */
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
    changed
      .filter((contact) => contact.wasSubscribed)
      .map(({ projectId, id }) => ({ projectId, contactId: id, name: subscriptionEvent(false) })),
  );
}

/**
 * Stores what the person decided through a link in a mail, and records the event when that changes the subscription.
 * True when it does: of several concurrent calls, for one. `emailId`: the mail that contained the link.
 */
export async function setSubscription(
  tx: Context,
  { projectId, contactId, emailId }: { projectId: string; contactId: string; emailId: string | null },
  subscribed: boolean,
): Promise<boolean> {
  const written = await q.contacts.setSubscription(tx, { projectId, contactId, subscribed });
  if (!written || written.wasSubscribed === subscribed) return false;
  const event = { projectId, contactId, name: subscriptionEvent(subscribed) };
  await recordEvents(tx, [emailId === null ? event : { ...event, emailId }]);
  return true;
}

/** Subscribes or unsubscribes contacts, and records each real change. Returns those that exist, by whether it changed them. */
export async function changeSubscriptions(
  tx: Context,
  projectId: string,
  contactIds: string[],
  subscribed: boolean,
): Promise<{ changed: string[]; unchanged: string[] }> {
  if (contactIds.length === 0) return { changed: [], unchanged: [] };
  const found = await q.bulkJobs.setSubscribed(tx, { projectId, contactIds, subscribed });
  const changed = found.filter((contact) => contact.isChanged).map((contact) => contact.id);
  await recordEvents(
    tx,
    changed.map((contactId) => ({ projectId, contactId, name: subscriptionEvent(subscribed) })),
  );
  return { changed, unchanged: found.filter((contact) => !contact.isChanged).map((contact) => contact.id) };
}

/** A contact as the API shows it. */
export type Contact = NonNullable<Awaited<ReturnType<Queries["contacts"]["byId"]>>>;

/** One contact of the project, or null. */
export async function findContact(
  ctx: Context,
  projectId: string,
  contactId: string,
): Promise<Contact | null> {
  return await q.contacts.byId(ctx, { projectId, contactId });
}

/** One contact of the project. Throws CONTACT_NOT_FOUND. */
export async function getContact(ctx: Context, projectId: string, contactId: string): Promise<Contact> {
  const contact = await findContact(ctx, projectId, contactId);
  if (!contact) throw problems.contactNotFound(contactId);
  return contact;
}

/** Creates a contact, or merges into the one that has the address. `subscribed` left out: true when it is new. */
export async function saveContact(
  ctx: Context,
  projectId: string,
  input: GivenValues & { email: string; data?: DataInput | undefined },
): Promise<{ contact: Contact; isNew: boolean }> {
  assertData(input.data);
  const { email, data, ...given } = input;
  const write = { projectId, email, given, subscribedDefault: true, change: sortData(data) };
  return await refusingLargeData(() =>
    inTransaction(ctx, async (tx) => {
      const { id, isNew } = (await upsertContacts(tx, [write])).get(contactKey(projectId, email))!;
      return { contact: await getContact(tx, projectId, id), isNew };
    }),
  );
}

/** What a PATCH may change. `data: null` clears all data. */
export interface ContactPatch extends GivenValues {
  email?: string | undefined;
  data?: DataInput | null | undefined;
}

/** Changes one contact. Throws CONTACT_NOT_FOUND, and CONFLICT when another contact has the address. */
export async function patchContact(
  ctx: Context,
  projectId: string,
  contactId: string,
  { email, subscribed, data }: ContactPatch,
): Promise<Contact> {
  assertData(data ?? undefined);
  const { sets, deletes } = sortData(data ?? undefined);
  const patch = {
    email: email ?? null,
    subscribed: subscribed ?? null,
    clearData: data === null,
    sets,
    deletes,
  };
  try {
    return await refusingLargeData(() =>
      inTransaction(ctx, async (tx) => {
        const patched = await q.contacts.patch(tx, { projectId, contactId, ...patch });
        if (!patched) throw problems.contactNotFound(contactId);
        const { wasSubscribed, ...contact } = patched;
        if (wasSubscribed !== contact.subscribed) {
          await recordEvents(tx, [{ projectId, contactId, name: subscriptionEvent(contact.subscribed) }]);
        }
        return contact;
      }),
    );
  } catch (error) {
    const taken = violatedConstraint(error) === "contacts_email_unique";
    throw taken ? problems.emailTaken(email!) : error;
  }
}

/** Which of these strings are addresses of contacts, and which are not: the caller's own strings, in their order. */
export async function lookUpContacts(
  ctx: Context,
  projectId: string,
  emails: string[],
): Promise<{ found: string[]; notFound: string[] }> {
  const addresses = emails.map((email) => parseAddress(email)?.email ?? null);
  const wanted = addresses.filter((address) => address !== null);
  const known = new Set(
    (await q.contactAddresses.among(ctx, { projectId, emails: wanted })).map((row) => row.email),
  );
  const isKnown = (i: number) => addresses[i] !== null && known.has(addresses[i]!);
  return { found: emails.filter((_, i) => isKnown(i)), notFound: emails.filter((_, i) => !isKnown(i)) };
}

function assertData(data: DataInput | undefined): void {
  const errors = dataErrors(data);
  if (errors.length > 0) throw problems.invalid(errors);
}

async function refusingLargeData<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw dataProblem(error);
  }
}

/** Which of these addresses have opted out of mail: unsubscribed after having been subscribed. */
export async function optedOutAmong(tx: Context, projectId: string, emails: string[]): Promise<string[]> {
  return (await q.contactAddresses.optedOut(tx, { projectId, emails })).map((row) => row.email);
}

function subscriptionEvent(subscribed: boolean): string {
  return subscribed ? "contact.subscribed" : "contact.unsubscribed";
}

/** What existing rows need besides the values to set; see `upsert_contacts`. */
export function contactChanges(writes: ContactWrite[]): Record<string, { deletes?: string[] } & GivenSaid> {
  const changes: Record<string, { deletes?: string[] } & GivenSaid> = {};
  for (const { projectId, email, given, change } of writes) {
    const said = saidOf(given);
    if (Object.keys(said).length === 0 && change.deletes.length === 0) continue;
    changes[contactKey(projectId, email)] = {
      ...said,
      ...(change.deletes.length > 0 && { deletes: change.deletes }),
    };
  }
  return changes;
}

type GivenSaid = { [Name in keyof GivenValues]?: NonNullable<GivenValues[Name]> };

/** Without keys whose value is undefined. */
function saidOf(given: GivenValues): GivenSaid {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as GivenSaid;
}
