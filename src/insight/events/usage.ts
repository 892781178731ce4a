import { fieldsOfEvent } from "../../audience/event_fields.ts";
import { isReservedEvent } from "../../audience/events.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";

interface Named {
  id: string;
  name: string;
}

/** What refers to the name of an event, and how much there is of it. */
export interface EventUsage {
  usedInSegments: Named[];
  /** Those that are still to be sent, or being sent. */
  usedInCampaigns: Named[];
  /** Enabled or not. */
  usedInWorkflows: Named[];
  totalCount: number;
  /** Of the newest 20,000 events. */
  uniqueContacts: number;
  canDelete: boolean;
}

/** Telling contacts apart requires the events themselves: for this many it takes 15 ms. */
const MAX_EVENTS = 20_000;

/** Where the name of an event is referred to, and how often it was recorded. */
export async function getEventUsage(
  ctx: Context,
  projectId: string,
  name: string,
  { maxEvents = MAX_EVENTS } = {},
): Promise<EventUsage> {
  const [{ segments, campaigns, workflows }, { total }, { contacts }] = await Promise.all([
    usesOfEvent(ctx, projectId, name),
    q.eventUsage.total(ctx, { projectId, name }),
    q.eventUsage.contacts(ctx, { projectId, name, limit: maxEvents }),
  ]);
  return {
    usedInSegments: segments,
    usedInCampaigns: campaigns,
    usedInWorkflows: workflows,
    totalCount: Math.max(0, total),
    uniqueContacts: contacts,
    canDelete: !isReservedEvent(name) && [...segments, ...campaigns, ...workflows].length === 0,
  };
}

/** The segments, campaigns to be sent and workflows that refer to the name of an event. */
export async function usesOfEvent(
  ctx: Context,
  projectId: string,
  name: string,
): Promise<{ segments: Named[]; campaigns: Named[]; workflows: Named[] }> {
  const args = { projectId, fields: fieldsOfEvent(name) };
  const [segments, campaigns, workflows] = await Promise.all([
    q.eventUsage.segments(ctx, args),
    q.eventUsage.campaigns(ctx, args),
    q.workflowReferences.ofEvent(ctx, { projectId, name }),
  ]);
  return { segments, campaigns, workflows };
}
