// What the feed tells about each item, looked up for the items of one page.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Json } from "../../db/types.ts";
import { timeOf } from "../ids.ts";
import { type ActivityType, typeOfEvent } from "./types.ts";

/** The details of one item depend on its type (guides/events.md). */
export interface Activity {
  /** For an event its own id; otherwise the type and the id of its subject. */
  id: string;
  type: ActivityType;
  /** In milliseconds; the items of a page are in this order. */
  timestamp: Date;
  contactEmail?: string | undefined;
  contactId?: string | undefined;
  metadata: Record<string, unknown>;
}

/** The kinds of items, as `activity.page` numbers them. */
export const KINDS = [
  "campaign.scheduled",
  "campaign.sent",
  "workflow.completed",
  "workflow.started",
  "event",
] as const;

/** The place of an item in the feed. */
export interface FeedPlace {
  /** A UUID in the order of time. */
  key: string;
  /** Which of {@linkcode KINDS}. */
  kind: number;
  id: string;
}

/** An item, and where it is. */
export interface PlacedActivity {
  place: FeedPlace;
  item: Activity;
}

type EventRow = Awaited<ReturnType<Queries["activityItems"]["events"]>>[number];

/** The details of an item besides its time; the place says what happened. */
type Told = Pick<Activity, "contactEmail" | "contactId" | "metadata"> & { eventType?: ActivityType };

/** The items at these places, in their order. What was deleted since it was found is left out. */
export async function readItems(
  ctx: Context,
  projectId: string,
  places: FeedPlace[],
): Promise<PlacedActivity[]> {
  const idsOf = (subject: Subject) => {
    const own = places.filter(({ kind }) => subjectOf(kind) === subject);
    return [...new Set(own.map(({ id }) => id))].toSorted();
  };
  const [event, campaign, workflow] = await Promise.all([
    readEvents(ctx, projectId, idsOf("event")),
    readCampaigns(ctx, projectId, idsOf("campaign")),
    readExecutions(ctx, projectId, idsOf("workflow")),
  ]);
  // Of each subject for itself: an id is one of its table only.
  const told = { event: new Map(event), campaign: new Map(campaign), workflow: new Map(workflow) };
  return places.flatMap((place) => {
    const found = told[subjectOf(place.kind)].get(place.id);
    return found ? [{ place, item: itemOf(place, found) }] : [];
  });
}

type Subject = "event" | "campaign" | "workflow";

function subjectOf(kind: number): Subject {
  return KINDS[kind]!.split(".")[0] as Subject;
}

function itemOf({ key, kind, id }: FeedPlace, { eventType, ...told }: Told): Activity {
  const name = KINDS[kind]!;
  const timestamp = timeOf(key);
  if (name === "event") return { id, type: eventType!, timestamp, ...told };
  return { id: `${name}:${id}`, type: name, timestamp, ...told };
}

async function readEvents(ctx: Context, projectId: string, ids: string[]): Promise<[string, Told][]> {
  if (ids.length === 0) return [];
  const range = { firstId: ids[0]!, lastId: ids.at(-1)! };
  const rows = await q.activityItems.events(ctx, { projectId, ids, ...range });
  return rows.map((row) => {
    const eventType = typeOfEvent(row.name);
    const metadata = eventType.startsWith("email.") ? ofMail(row, eventType) : ofEvent(row);
    return [row.id, { eventType, ...contactOf(row), metadata }];
  });
}

function ofEvent({ name, data }: EventRow) {
  return { eventName: name, eventData: data };
}

/** The event knows what its mail said when it was sent; otherwise the ledger and the content are used. */
function ofMail(row: EventRow, type: ActivityType) {
  const data = row.data as Record<string, Json | undefined>;
  return {
    emailId: row.emailId,
    subject: data.subject ?? row.subject,
    from: data.from ?? row.fromEmail,
    sourceType: data.sourceType ?? row.sourceType,
    campaignName: row.campaignName ?? undefined,
    workflowName: row.workflowName ?? undefined,
    link: data.link,
    error: (type === "email.bounced" && row.error) || undefined,
    machine: row.bot || undefined,
  };
}

async function readCampaigns(ctx: Context, projectId: string, ids: string[]): Promise<[string, Told][]> {
  if (ids.length === 0) return [];
  const rows = await q.activityItems.campaigns(ctx, { projectId, ids });
  return rows.map(({ id, name }) => [id, { metadata: { campaignId: id, campaignName: name } }]);
}

async function readExecutions(ctx: Context, projectId: string, ids: string[]): Promise<[string, Told][]> {
  if (ids.length === 0) return [];
  const rows = await q.activityItems.executions(ctx, { projectId, ids });
  return rows.map((row) => {
    const { workflowId, workflowName, status, exitReason } = row;
    const metadata = { workflowId, workflowName, status, exitReason: exitReason ?? undefined };
    return [row.id, { ...contactOf(row), metadata }];
  });
}

/** The contact of an item; none if there is none, or not any more. */
export function contactOf({
  contactId,
  contactEmail,
}: {
  contactId: string | null;
  contactEmail: string | null;
}) {
  return { contactEmail: contactEmail ?? undefined, contactId: contactId ?? undefined };
}
