import { type IdempotentRequest, once } from "../accounts/idempotency.ts";
import { type Context, newId } from "../context.ts";
import { q } from "../db/queries.ts";
import { groupCommit } from "../group_commit.ts";
import { type FieldError, problems } from "../problem/mod.ts";
import { type DataInput, dataErrors, dataProblem, sortData } from "./contacts/data.ts";
import {
  contactChanges,
  contactKey,
  type ContactWrite,
  heldContacts,
  contactRow,
  upsertContacts,
} from "./contacts/mod.ts";
import { isReservedEvent, recordEvents } from "./events.ts";

/** What a client tracks. The address is trimmed and lower-case; the rest has been validated. */
export interface Tracked {
  email: string;
  event: string;
  subscribed?: boolean | undefined;
  data?: DataInput | undefined;
}

/** Everything wrong with a tracked event, besides its schema. Fields may be missing. */
export function trackErrors({ event, data }: Partial<Tracked>): FieldError[] {
  const errors = dataErrors(data);
  if (event === undefined || !isReservedEvent(event.trim())) return errors;
  const message = `"${event}" is a reserved event name: only the service itself emits it`;
  return [{ field: "event", code: "reserved_event", message, received: event }, ...errors];
}

/** What happened to it. */
export interface TrackResult {
  /** Id of the contact. */
  contact: string;
  /** Id of the event. */
  event: string;
  timestamp: Date;
}

// More gains nothing, and one transaction should stay short.
const MAX_BATCH = 500;

/**
 * Tracks one event of one contact: the contact exists afterwards, its data is merged, and the event is recorded, in one
 * transaction. Requests that arrive during a commit share the next one (each still succeeds or fails alone); one with
 * an idempotency key has a transaction of its own, because its claim may have to wait. Errors: 422 with all fields, 409
 * for a used key.
 */
export async function track(
  ctx: Context,
  request: IdempotentRequest,
  tracked: Tracked,
): Promise<TrackResult> {
  const errors = trackErrors(tracked);
  if (errors.length > 0) throw problems.invalid(errors);
  try {
    const { projectId, key } = request;
    if (key === null) return await groups(ctx)(projectId, tracked);
    return await once(ctx, request, async (tx) => (await trackAll(tx, projectId, [tracked]))[0]!);
  } catch (error) {
    throw dataProblem(error);
  }
}

const groups = groupCommit<Tracked, TrackResult>({
  name: "commit track",
  work: trackAll,
  statement: recordAll,
  keysOf: ({ email }) => [email],
  heldAmong: async (ctx, projectId, items) => {
    const emails = items.map(({ email }) => email);
    const held = await heldContacts(ctx, projectId, emails);
    return new Set(items.filter(({ email }) => held.has(email)));
  },
  maxItems: MAX_BATCH,
});

async function trackAll(tx: Context, projectId: string, items: Tracked[]): Promise<TrackResult[]> {
  const results = await recordAll(tx, projectId, items);
  const outgoing = items.filter((_, i) => results[i] === null);
  const replaced = (await trackAnew(tx, projectId, outgoing)).values();
  return results.map((result) => result ?? replaced.next().value!);
}

/**
 * Everything in one statement: of a transaction with one for contacts and one for events, each answer takes a turn. Null: a reset
 * is about to delete the contact, and nothing was recorded.
 */
async function recordAll(
  ctx: Context,
  projectId: string,
  items: Tracked[],
  lockWaitMs: number | null = null,
): Promise<(TrackResult | null)[]> {
  const timestamp = ctx.now();
  const writes = items.map((item) => writeOf(projectId, item));
  const rows = items.map(({ event, subscribed }, i) => ({
    ...contactRow(writes[i]!),
    change_id: subscribed === undefined ? null : newId(ctx, timestamp),
    event_id: newId(ctx, timestamp),
    name: event,
    data: writes[i]!.change.values,
  }));
  const changes = contactChanges(writes);
  const written = await q.tracking.recordMany(ctx, { rows, changes, now: timestamp, lockWaitMs });
  const contacts = new Map(written.map((contact) => [contact.email, contact]));
  return items.map(({ email }, i) => {
    const { contactId, isOutgoing } = contacts.get(email)!;
    return isOutgoing ? null : { contact: contactId, event: rows[i]!.event_id, timestamp };
  });
}

function writeOf(projectId: string, { email, subscribed, data }: Tracked): ContactWrite {
  return { projectId, email, given: { subscribed }, subscribedDefault: true, change: sortData(data) };
}

/** Tracks what belongs to contacts that a reset is about to delete: they are replaced. */
async function trackAnew(tx: Context, projectId: string, items: Tracked[]): Promise<TrackResult[]> {
  if (items.length === 0) return [];
  const writes = items.map((item) => writeOf(projectId, item));
  const contacts = await upsertContacts(tx, writes);
  const contactIds = items.map(({ email }) => contacts.get(contactKey(projectId, email))!.id);
  const events = await recordEvents(
    tx,
    items.map(({ event }, i) => ({
      projectId,
      contactId: contactIds[i]!,
      name: event,
      data: writes[i]!.change.values,
    })),
  );
  return events.map(({ id, createdAt }, i) => ({ contact: contactIds[i]!, event: id, timestamp: createdAt }));
}
