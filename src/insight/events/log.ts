// The events as they were recorded: the only ones that are read row by row.
import { firstIdAt } from "../../audience/conditions/tree.ts";
import { getContact } from "../../audience/contacts/mod.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { FIRST_ID, LAST_ID, timeOf } from "../ids.ts";

/** An event as the API shows it. */
export interface LoggedEvent {
  id: string;
  name: string;
  data: unknown;
  contactId: string | null;
  emailId: string | null;
  projectId: string;
  createdAt: Date;
}

/** An event with the contact it is about, if there is one. */
export type ListedEvent = LoggedEvent & { contact: { id: string; email: string } | null };

/** Where a page begins: below the event with this id, or at the newest one. */
export interface EventPage {
  limit: number;
  beforeId: string | null;
}

const DAY_MS = 86_400_000;
/** Most pages are full within a month: older partitions are then not read. */
const LOOK_BACK_MS = 31 * DAY_MS;

/** One page of the events of a project, of one name or of all, newest first, and one more when there are more. */
export async function listEvents(
  ctx: Context,
  projectId: string,
  { eventName }: { eventName?: string | undefined },
  page: EventPage,
): Promise<ListedEvent[]> {
  const rows = await readBack(ctx, page, (part) =>
    q.eventLog.recent(ctx, { projectId, named: eventName ?? null, ...part }),
  );
  return rows.map(({ contactEmail, ...event }) => {
    const { contactId } = event;
    const isKnown = contactId !== null && contactEmail !== null;
    return { ...event, contact: isKnown ? { id: contactId, email: contactEmail } : null };
  });
}

/** One page of the events of a contact, newest first, and one more when there are more. Throws CONTACT_NOT_FOUND. */
export async function listContactEvents(
  ctx: Context,
  projectId: string,
  contactId: string,
  page: EventPage,
): Promise<LoggedEvent[]> {
  await getContact(ctx, projectId, contactId);
  const { limit, beforeId } = page;
  const ids = { since: FIRST_ID, before: beforeId ?? LAST_ID, recent: monthBefore(ctx, beforeId) };
  return await q.eventLog.recentOfContact(ctx, { projectId, contactId, ...ids, limit: limit + 1 });
}

/** Reads a month back, and everything before where the page is not full by then and one more found. */
async function readBack<Row>(
  ctx: Context,
  { limit, beforeId }: EventPage,
  read: (part: { since: string; before: string; limit: number }) => Promise<Row[]>,
): Promise<Row[]> {
  const starts = [monthBefore(ctx, beforeId), FIRST_ID];
  const rows: Row[] = [];
  let before = beforeId ?? LAST_ID;
  for (const since of starts) {
    rows.push(...(await read({ since, before, limit: limit + 1 - rows.length })));
    if (rows.length > limit) break;
    before = since;
  }
  return rows;
}

/** The first id of the month before a page. */
function monthBefore(ctx: Context, beforeId: string | null): string {
  const now = ctx.now().getTime();
  const from = beforeId === null ? now : Math.min(now, timeOf(beforeId).getTime());
  return firstIdAt(new Date(from - LOOK_BACK_MS));
}
