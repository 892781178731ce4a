import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import type { ListedContact } from "../contacts/list.ts";
import { sortData } from "../contacts/data.ts";
import { upsertContacts } from "../contacts/mod.ts";
import { audienceOf, countAudience } from "./audience.ts";

/** After so many new members Postgres takes its statistics at once: until it does so by itself, it expects one member. */
const ANALYZE_FROM = 1_000;

/** One page of members, live also for a dynamic segment. */
export async function listSegmentMembers(
  ctx: Context,
  projectId: string,
  segmentId: string,
  { page, pageSize }: { page: number; pageSize: number },
): Promise<{ data: ListedContact[]; total: number }> {
  const listed = inTransaction(ctx, async (tx) => {
    const audience = await audienceOf(tx, projectId, segmentId, { whole: true });
    // A page far behind reads them all, as a count does.
    await q.audience.allowHashing(tx);
    return await q.contacts.members(tx, {
      projectId,
      audience: audience(),
      limit: pageSize,
      offset: (page - 1) * pageSize,
    });
  });
  const [data, total] = await Promise.all([listed, countAudience(ctx, projectId, segmentId)]);
  return { data, total };
}

/** What adding members has changed. */
export interface AddedMembers {
  added: number;
  created: number;
  notFound: string[];
}

/**
 * Adds contacts to a static segment by their addresses; with `createMissing`, missing ones are created. Where its
 * membership is tracked, each that was added gets the event. Throws 400 for a dynamic segment.
 */
export async function addMembers(
  ctx: Context,
  projectId: string,
  segmentId: string,
  input: { emails: string[]; createMissing: boolean; subscribed: boolean },
): Promise<AddedMembers> {
  return await inTransaction(ctx, async (tx) => {
    const segment = await holdStatic(tx, projectId, segmentId);
    const addresses = new Map(input.emails.map((email) => [email, parseAddress(email)?.email ?? null]));
    const wanted = [...new Set([...addresses.values()].filter((address) => address !== null))];
    const known = new Set(
      (await q.contactAddresses.among(tx, { projectId, emails: wanted })).map((row) => row.email),
    );
    const missing = wanted.filter((email) => !known.has(email));
    const created = input.createMissing ? await createContacts(tx, projectId, missing, input.subscribed) : 0;
    const event = eventOf(segment, "entry");
    const added = await q.segmentMembers.add(tx, {
      projectId,
      segmentId,
      emails: wanted,
      now: tx.now(),
      ...event,
    });
    await noteChange(tx, projectId, segmentId, added);
    const isThere = (address: string | null) =>
      address !== null && (input.createMissing || known.has(address));
    const notFound = input.emails.filter((email) => !isThere(addresses.get(email)!));
    return { added: added.length, created, notFound };
  });
}

/** Removes contacts from a static segment by their addresses, and returns how many were members. */
export async function removeMembers(
  ctx: Context,
  projectId: string,
  segmentId: string,
  emails: string[],
): Promise<number> {
  return await inTransaction(ctx, async (tx) => {
    const segment = await holdStatic(tx, projectId, segmentId);
    const addresses = emails.flatMap((email) => parseAddress(email)?.email ?? []);
    const removed = await q.segmentMembers.remove(tx, {
      projectId,
      segmentId,
      emails: addresses,
      now: tx.now(),
      ...eventOf(segment, "exit"),
    });
    await noteChange(tx, projectId, segmentId, removed);
    return removed.length;
  });
}

/** Adds contacts to a static segment, inside a transaction, and returns those that were no members. Throws as {@linkcode addMembers}. */
export async function addContacts(
  tx: Context,
  projectId: string,
  segmentId: string,
  contactIds: string[],
): Promise<string[]> {
  return await changeContacts(tx, { projectId, segmentId, contactIds }, "entry");
}

/** Removes contacts from a static segment, inside a transaction, and returns those that were members. */
export async function removeContacts(
  tx: Context,
  projectId: string,
  segmentId: string,
  contactIds: string[],
): Promise<string[]> {
  return await changeContacts(tx, { projectId, segmentId, contactIds }, "exit");
}

async function changeContacts(
  tx: Context,
  given: { projectId: string; segmentId: string; contactIds: string[] },
  way: "entry" | "exit",
): Promise<string[]> {
  const { projectId, segmentId } = given;
  const segment = await holdStatic(tx, projectId, segmentId);
  const change = { ...given, now: tx.now(), ...eventOf(segment, way) };
  const changed =
    way === "entry"
      ? await q.segmentMembers.addContacts(tx, change)
      : await q.segmentMembers.removeContacts(tx, change);
  await noteChange(tx, projectId, segmentId, changed);
  return changed.map(({ contactId }) => contactId);
}

/** Throws 400 for a segment that is not static, and SEGMENT_NOT_FOUND. */
export async function assertStatic(tx: Context, projectId: string, segmentId: string): Promise<void> {
  await holdStatic(tx, projectId, segmentId);
}

/** How a membership changed. */
export interface MembershipChange {
  added: number;
  removed: number;
  total: number;
}

/**
 * Works out the membership of a tracked segment (of a static one it is what it is), of all contacts or of these only, and records who
 * entered and who left, in one transaction and set by set: no list of members comes here. Throws 400 for a segment
 * that is not tracked.
 */
export async function computeMembership(
  ctx: Context,
  projectId: string,
  segmentId: string,
  contactIds: string[] | null = null,
): Promise<MembershipChange> {
  return await inTransaction(ctx, async (tx) => {
    const segment = await q.segments.lock(tx, { projectId, segmentId });
    if (!segment) throw problems.segmentNotFound(segmentId);
    if (!segment.trackMembership) throw problems.segmentNotTracked();
    if (segment.type === "STATIC") {
      const { memberCount } = await q.segments.countStored(tx, { projectId, segmentId });
      return { added: 0, removed: 0, total: memberCount };
    }
    const eventData = { segmentId, segmentName: segment.name };
    const args = { projectId, segmentId, contactIds, now: tx.now(), eventData };
    const audience = await audienceOf(tx, projectId, segmentId, { whole: contactIds === null });
    await q.audience.allowHashing(tx);
    const { removed } = await q.segmentMembers.exit(tx, {
      ...args,
      audience: audience(),
      event: `segment.${segment.slug}.exit`,
    });
    const { added } = await q.segmentMembers.enter(tx, {
      ...args,
      audience: audience(),
      event: `segment.${segment.slug}.entry`,
    });
    if (added >= ANALYZE_FROM) await q.segmentMembers.analyze(tx);
    const { memberCount } = await q.segments.countStored(tx, { projectId, segmentId });
    return { added, removed, total: memberCount };
  });
}

/** The event of those who enter or leave; none where the membership is not tracked. */
function eventOf(
  { id, name, slug, trackMembership }: { id: string; name: string; slug: string; trackMembership: boolean },
  change: "entry" | "exit",
) {
  const eventData = { segmentId: id, segmentName: name };
  return { event: trackMembership ? `segment.${slug}.${change}` : null, eventData };
}

async function holdStatic(tx: Context, projectId: string, segmentId: string) {
  // Held, so that changes of one list are counted one after another.
  const segment = await q.segments.lock(tx, { projectId, segmentId });
  if (!segment) throw problems.segmentNotFound(segmentId);
  if (segment.type !== "STATIC") {
    throw problems.badRequest("Cannot change the members of a dynamic segment by hand");
  }
  return segment;
}

async function createContacts(
  tx: Context,
  projectId: string,
  emails: string[],
  subscribed: boolean,
): Promise<number> {
  const write = { projectId, given: {}, subscribedDefault: subscribed, change: sortData() };
  const written = await upsertContacts(
    tx,
    emails.map((email) => ({ ...write, email })),
  );
  return [...written.values()].filter((contact) => contact.isNew).length;
}

/** Recounts the list, and has other segments that refer to it look at these contacts. */
async function noteChange(
  tx: Context,
  projectId: string,
  segmentId: string,
  members: { contactId: string }[],
): Promise<void> {
  if (members.length === 0) return;
  await q.segments.countStored(tx, { projectId, segmentId });
  await q.segmentCandidates.note(tx, { projectId, contactIds: members.map((member) => member.contactId) });
}
