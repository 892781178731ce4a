// What the feed tells about (guides/events.md).
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";

/** Every type of the feed's items. */
export const ACTIVITY_TYPES = [
  "event.triggered",
  "email.sent",
  "email.delivered",
  "email.received",
  "email.opened",
  "email.clicked",
  "email.bounced",
  "email.complaint",
  "contact.subscribed",
  "contact.unsubscribed",
  "campaign.sent",
  "campaign.scheduled",
  "workflow.started",
  "workflow.completed",
] as const;

/** The type of an item. */
export type ActivityType = (typeof ACTIVITY_TYPES)[number];

// As the index `events_triggered` and the statements of activity.sql have them: events of all other names are
// `event.triggered`.
const EVENT_NAMES: Partial<Record<ActivityType, string>> = {
  "email.sent": "email.sent",
  "email.delivered": "email.delivery",
  "email.received": "email.received",
  "email.opened": "email.open",
  "email.clicked": "email.click",
  "email.bounced": "email.bounce",
  "email.complaint": "email.complaint",
  "contact.subscribed": "contact.subscribed",
  "contact.unsubscribed": "contact.unsubscribed",
};

const TYPES_BY_NAME = new Map(
  Object.entries(EVENT_NAMES).map(([type, name]) => [name, type as ActivityType]),
);

/** The type of an event. */
export function typeOfEvent(name: string): ActivityType {
  return TYPES_BY_NAME.get(name) ?? "event.triggered";
}

/** Which parts of the feed a statement reads, and which names of events besides. */
export interface Sources {
  /** `events` stands for all of them. */
  sources: string[];
  names: string[];
}

/** Where items of these types are. */
export function sourcesOf(types: readonly ActivityType[]): Sources {
  const wanted = new Set(types);
  const has = (type: ActivityType) => wanted.has(type);
  const ofEvents = ACTIVITY_TYPES.filter((type) => type === "event.triggered" || EVENT_NAMES[type]);
  const others = ACTIVITY_TYPES.filter((type) => !ofEvents.includes(type)).filter(has);
  if (ofEvents.every(has)) return { sources: ["events", ...others], names: [] };
  const triggered = ofEvents.filter((type) => has(type) && !EVENT_NAMES[type]);
  const names = ofEvents.filter(has).flatMap((type) => EVENT_NAMES[type] ?? []);
  return { sources: [...triggered, ...others], names };
}

/** What of the feed is wanted. */
export interface WantedActivity {
  /** Left out: all. */
  types?: readonly ActivityType[] | undefined;
  /** Events of this name alone, as far as `types` has them. */
  eventName?: string | undefined;
}

/** Where that is. */
export function sourcesOfWanted({ types = ACTIVITY_TYPES, eventName }: WantedActivity): Sources {
  if (eventName === undefined) return sourcesOf(types);
  return { sources: [], names: types.includes(typeOfEvent(eventName)) ? [eventName] : [] };
}

/** Whether an item is wanted. */
export function isWanted(
  { type, metadata }: { type: ActivityType; metadata: Record<string, unknown> },
  { types, eventName }: WantedActivity,
): boolean {
  if (types && !types.includes(type)) return false;
  return eventName === undefined || eventName === (EVENT_NAMES[type] ?? metadata.eventName);
}

/** The types that the project has, or had, items of. */
export async function listActivityTypes(ctx: Context, projectId: string): Promise<ActivityType[]> {
  const found = await q.activityTypes.present(ctx, { projectId, names: [...TYPES_BY_NAME.keys()] });
  const types = new Set(found.names.map(typeOfEvent));
  if (found.isTriggered) types.add("event.triggered");
  if (found.isSent) types.add("campaign.sent");
  if (found.isScheduled) types.add("campaign.scheduled");
  if (found.isStarted) types.add("workflow.started");
  if (found.isCompleted) types.add("workflow.completed");
  return ACTIVITY_TYPES.filter((type) => types.has(type));
}
