import { type Context, newId } from "../context.ts";
import { q } from "../db/queries.ts";

/** Something that happened, to a contact as a rule. */
export interface NewEvent {
  projectId: string;
  contactId: string | null;
  emailId?: string;
  name: string;
  data?: Record<string, unknown>;
}

/** An event as it was recorded. */
export interface RecordedEvent {
  id: string;
  createdAt: Date;
}

const RESERVED = /^(email\..*|contact\.(un)?subscribed|segment\..*\.(entry|exit))$/s;

/** The same as a regular expression of Postgres, where a dot is any character anyway. */
export const RESERVED_EVENTS = RESERVED.source;

/** True for the names that only the service itself may emit (guides/events.md). */
export function isReservedEvent(name: string): boolean {
  return RESERVED.test(name);
}

/**
 * Records events in the order given, all in one statement. Triggers do the rest in the same transaction:
 * `events_start_workflows` enqueues the workflows that listen, `events_note_contacts` notes the contacts for tracked
 * segments, and `events_count_added` counts.
 */
export async function recordEvents(tx: Context, events: NewEvent[]): Promise<RecordedEvent[]> {
  if (events.length === 0) return [];
  const createdAt = tx.now();
  const ids = events.map(() => newId(tx));
  await q.events.insertMany(tx, {
    now: createdAt,
    rows: events.map((event, i) => ({
      project_id: event.projectId,
      id: ids[i],
      contact_id: event.contactId,
      email_id: event.emailId,
      name: event.name,
      data: event.data ?? {},
    })),
  });
  return ids.map((id) => ({ id, createdAt }));
}
