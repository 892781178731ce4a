import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem.ts";
import { withinBudget } from "../time_budget.ts";
import { countBySubscription } from "./contact_list.ts";

/** A field that contacts have, and how many of them have it. */
export interface ContactField {
  /** `email`, or `data.<key>`. */
  field: string;
  type: "string" | "number" | "boolean" | "date";
  /** Whole percent of all contacts. */
  coverage: number;
}

/** Something that refers to a field. */
export interface FieldUse {
  id: string;
  name: string;
}

const STANDARD: ContactField[] = [
  { field: "email", type: "string", coverage: 100 },
  { field: "subscribed", type: "boolean", coverage: 100 },
  { field: "createdAt", type: "date", coverage: 100 },
  { field: "updatedAt", type: "date", coverage: 100 },
];

// Values are counted live for this long; of a larger project a sample of the newest contacts speaks.
const VALUES_BUDGET_MS = 400;
const SAMPLE_ROWS = 50_000;
const REMOVE_BATCH = 5_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** The standard fields, and every key in use with its type (string where contacts disagree) and coverage. Reads counters. */
export async function listContactFields(ctx: Context, projectId: string): Promise<ContactField[]> {
  const [rows, total] = await Promise.all([
    q.contactCounts.byProject(ctx, { projectId }),
    countBySubscription(ctx, projectId),
  ]);
  const byField = Map.groupBy(
    rows.filter((row) => row.field !== ""),
    (row) => row.field,
  );
  const custom = [...byField].map(([field, types]): ContactField => {
    const contacts = types.reduce((sum, type) => sum + type.contacts, 0);
    const type = types.length === 1 ? (types[0]!.type as ContactField["type"]) : "string";
    return {
      field: `data.${field}`,
      type,
      coverage: Math.min(100, Math.round((contacts / Math.max(1, total)) * 100)),
    };
  });
  return [...STANDARD, ...custom];
}

/** The key behind a field name: the prefix `data.` may be left out. Throws 400 for a standard field. */
export function customKey(field: string): string {
  if (STANDARD.some((standard) => standard.field === field)) {
    throw problems.badRequest(`Cannot do this with ${field}: it is a standard field`);
  }
  return field.startsWith("data.") ? field.slice("data.".length) : field;
}

/** Distinct values of a custom field, the most frequent first; `search` is a part of the value, in any case. */
export async function listFieldValues(
  ctx: Context,
  projectId: string,
  field: string,
  { limit, search }: { limit: number; search?: string | undefined },
): Promise<unknown[]> {
  const pattern = search ? `%${search.replace(/[\\%_]/g, "\\$&")}%` : null;
  const args = { projectId, key: customKey(field), pattern, limit };
  const rows =
    (await withinBudget(ctx, VALUES_BUDGET_MS, (tx) =>
      q.contactFields.values(tx, { ...args, source: tx.sql`contacts c` }),
    )) ?? (await q.contactFields.values(ctx, { ...args, source: newestContacts(ctx, projectId) }));
  return rows.map((row) => row.value);
}

/** What refers to a custom field, and how many contacts have it. It can be deleted when nothing refers to it. */
export async function getFieldUsage(ctx: Context, projectId: string, field: string) {
  const key = customKey(field);
  const [usedInSegments, rows] = await Promise.all([
    q.segments.referringToField(ctx, { projectId, field: `data.${key}` }),
    q.contactCounts.byProject(ctx, { projectId }),
  ]);
  const contactCount = rows.filter((row) => row.field === key).reduce((sum, row) => sum + row.contacts, 0);
  const usedInCampaigns: FieldUse[] = [];
  const usedInWorkflows: FieldUse[] = [];
  return {
    usedInSegments,
    usedInCampaigns,
    usedInWorkflows,
    contactCount,
    canDelete: usedInSegments.length === 0,
  };
}

/** Removes a custom field from every contact, a few thousand a transaction. Throws 409 while something refers to it. */
export async function deleteContactField(ctx: Context, projectId: string, field: string): Promise<number> {
  const usage = await getFieldUsage(ctx, projectId, field);
  if (!usage.canDelete) throw problems.fieldInUse(field, usage.usedInSegments);
  const key = customKey(field);
  let deleted = 0;
  for (let afterId = FIRST_ID; ;) {
    const removed = await inTransaction(ctx, (tx) =>
      q.contactFields.remove(tx, { projectId, key, afterId, limit: REMOVE_BATCH }),
    );
    deleted += removed.length;
    if (removed.length < REMOVE_BATCH) return deleted;
    afterId = removed.reduce((last, row) => (row.id > last ? row.id : last), afterId);
  }
}

function newestContacts({ sql }: Context, projectId: string) {
  return sql`(
    select project_id, data
    from contacts
    where project_id = ${projectId}
    order by created_at desc, id desc
    limit ${SAMPLE_ROWS}
  ) c`;
}
