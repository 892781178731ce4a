import { type Context, inTransaction } from "../../context.ts";
import { containing } from "../../db/like.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { isStandard, STANDARD_NAMES, standardField } from "../standard_fields.ts";
import { withinBudget } from "../../time_budget.ts";
import { countBySubscription } from "./list.ts";

/** A field that contacts have, and how many of them have it. */
export interface ContactField {
  /** A standard field, or `data.<key>`. */
  field: string;
  type: "string" | "number" | "boolean" | "date";
  /** Whole percent of all contacts. */
  coverage: number;
}

const TYPES = { text: "string", boolean: "boolean", time: "date" } as const;
const STANDARD = STANDARD_NAMES.map((field): ContactField => ({
  field,
  type: TYPES[standardField(field).kind],
  coverage: 100,
}));

// Values are counted among the newest contacts: 20,000 take 30 ms, 1,000,000 more than half a second. Where fewer of them than
// this have the field, all contacts are counted, if that does not take longer.
const NEWEST_ROWS = 20_000;
const FEW_CONTACTS = 200;
const VALUES_BUDGET_MS = 400;
const REMOVE_BATCH = 5_000;
// As a regular expression: a key of blanks cannot be written as a variable.
const NOTHING = "(?!)";
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
  if (isStandard(field)) {
    throw problems.badRequest(`Cannot do this with ${field}: it is a standard field`);
  }
  return field.startsWith("data.") ? field.slice("data.".length) : field;
}

/** Values of a custom field. */
export interface FieldValues {
  /** The most frequent first. */
  values: unknown[];
  /** Whether only the newest 20,000 contacts were looked at. */
  estimated: boolean;
}

/**
 * Distinct values of a custom field, most frequent first; `search` is a part of the value, in any case. Of a larger project
 * those of the newest contacts, unless few of them have it.
 */
export async function listFieldValues(
  ctx: Context,
  projectId: string,
  field: string,
  { limit, search }: { limit: number; search?: string | undefined },
): Promise<FieldValues> {
  const pattern = search ? containing(search) : null;
  const args = { projectId, key: customKey(field), pattern, limit };
  const [total, newest] = await Promise.all([
    countBySubscription(ctx, projectId),
    q.contactFields.values(ctx, { ...args, source: newestContacts(ctx, projectId) }),
  ]);
  const isEnough = total <= NEWEST_ROWS || (newest[0]?.contacts ?? 0) >= FEW_CONTACTS;
  const all = isEnough
    ? null
    : await withinBudget(ctx, VALUES_BUDGET_MS, (tx) =>
        q.contactFields.values(tx, { ...args, source: tx.sql`contacts c` }),
      );
  const values = (all ?? newest).map((row) => row.value);
  return { values, estimated: all === null && total > NEWEST_ROWS };
}

/** What refers to a custom field, and how many contacts have it. It can be deleted when nothing refers to it. */
export async function getFieldUsage(ctx: Context, projectId: string, field: string) {
  const key = customKey(field);
  const args = { projectId, field: `data.${key}` };
  const expression = expressionWith(key);
  const [usedInSegments, usedInCampaigns, usedInWorkflows, rows] = await Promise.all([
    q.segments.referringToField(ctx, args),
    q.contactFields.usedByCampaigns(ctx, { ...args, ...expression }),
    q.workflowUsage.ofContactField(ctx, { ...args, key, ...expression }),
    q.contactCounts.byProject(ctx, { projectId }),
  ]);
  const contactCount = rows.filter((row) => row.field === key).reduce((sum, row) => sum + row.contacts, 0);
  return {
    usedInSegments,
    usedInCampaigns,
    usedInWorkflows,
    contactCount,
    canDelete: [...usedInSegments, ...usedInCampaigns, ...usedInWorkflows].length === 0,
  };
}

/** Removes a custom field from every contact, a few thousand a transaction. Throws 409 while something refers to it. */
export async function deleteContactField(ctx: Context, projectId: string, field: string): Promise<number> {
  const usage = await getFieldUsage(ctx, projectId, field);
  if (!usage.canDelete) {
    throw problems.fieldInUse(field, {
      segments: usage.usedInSegments,
      campaigns: usage.usedInCampaigns,
      workflows: usage.usedInWorkflows,
    });
  }
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

/**
 * A regular expression of Postgres that finds the key as a variable of a template: alone or behind `data.` and the
 * like, in brackets, or with a path below it. If only the language of templates could tell (a key with spaces that
 * holds this one as a word, a name within `with` or `each`), it finds too much rather than too little.
 */
function expressionWith(key: string): { pattern: string; word: string } {
  const words = key.split(/\s+/).filter((word) => word !== "");
  const name = words.map((word) => word.replace(/[^\p{L}\p{N}_]/gu, "\\$&")).join("\\s+") || NOTHING;
  // Not behind a single backslash, which makes text of it, and no comment.
  const opening = String.raw`(?:^|[^\\]|\\\\)\{\{(?!~?!)`;
  const string = String.raw`"(?:\\"|[^"])*"|'(?:\\'|[^'])*'`;
  const fallback = String.raw`\?\?(?:\s*(?:${string})\s*|(?:[^)}]|\}(?!\}))*)\)`;
  // What is passed over within an expression. A fallback that no parenthesis closes is the rest of it.
  const before = String.raw`(?:${string}|\[[^\]]*\]|${fallback}|\?(?!\?)|\}(?!\})|[^"'\[}?])*`;
  const path = String.raw`(?:(?:@root|data|this|\.\.?)[./])*`;
  const bare = String.raw`${name}(?=[\s})~./]|\?\?)(?!\s*=)`;
  const quoted = String.raw`[~{&]?\s*["']${name}["']`;
  return {
    pattern: String.raw`${opening}(?:(?:${before}[\s{&~(=])?${path}(?:${bare}|\[${name}\])|${quoted})`,
    word: words[0] ?? "",
  };
}

function newestContacts({ sql }: Context, projectId: string) {
  return sql`(
    select project_id, data
    from contacts
    where project_id = ${projectId}
    order by created_at desc, id desc
    limit ${NEWEST_ROWS}
  ) c`;
}
