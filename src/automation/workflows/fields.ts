import { type ContactField, listContactFields } from "../../audience/contacts/fields.ts";
import { isStandard } from "../../audience/standard_fields.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";

/** A field that a CONDITION can ask about. */
export interface WorkflowField {
  field: string;
  type: ContactField["type"];
  /** A heading under which editors show it. */
  category: "Contact Fields" | "Custom Data" | "Event Data";
}

/** Event data fields are collected from this many events, the newest. */
const EVENTS_READ = 1_000;
const MAX_EVENT_FIELDS = 500;

/** What a CONDITION can ask about: the contact, its data, and the data of events, of one name if it is given. */
export async function listWorkflowFields(
  ctx: Context,
  projectId: string,
  eventName: string | undefined,
): Promise<WorkflowField[]> {
  const [contactFields, eventFields] = await Promise.all([
    listContactFields(ctx, projectId),
    listEventFields(ctx, projectId, eventName?.trim()),
  ]);
  const standard = contactFields.filter(({ field }) => isStandard(field) && field !== "updatedAt");
  const custom = contactFields.filter(({ field }) => field.startsWith("data."));
  return [
    ...standard.map(({ field, type }) => ({
      field: `contact.${field}`,
      type,
      category: "Contact Fields" as const,
    })),
    ...custom.map(({ field, type }) => ({ field, type, category: "Custom Data" as const })),
    ...eventFields,
  ];
}

async function listEventFields(
  ctx: Context,
  projectId: string,
  name: string | undefined,
): Promise<WorkflowField[]> {
  const args = { projectId, events: EVENTS_READ, limit: MAX_EVENT_FIELDS };
  const rows = name
    ? await q.workflowFields.ofEvent(ctx, { ...args, name })
    : await q.workflowFields.ofEvents(ctx, args);
  const byField = Map.groupBy(rows, (row) => row.field);
  return [...byField].map(([field, types]) => ({
    field: `event.${field}`,
    // Events that disagree: a string, as with contacts.
    type: types.length === 1 ? (types[0]!.type as ContactField["type"]) : "string",
    category: "Event Data",
  }));
}
