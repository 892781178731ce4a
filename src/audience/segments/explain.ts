// Why a contact is a member of a segment, or is not: each filter with its answer and the value that was found.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { compileAnswers } from "../conditions/answers.ts";
import { fieldOf, isUnit } from "../conditions/fields.ts";

import { type Condition, type Filter, filtersOf, unitsBefore } from "../conditions/tree.ts";
import { type Contact, getContact } from "../contacts/mod.ts";
import { isStandard } from "../standard_fields.ts";

/** A filter with its answer. */
export interface ExplainedFilter extends Filter {
  matches: boolean;
  /**
   * What is there: the value, null if there is none; of an event how often it happened (counted to 1,000, and within
   * the period where the operator counts in one) and when last; of a segment its name.
   */
  found: unknown;
}

/** A condition with its answers. */
export interface ExplainedCondition {
  logic: Condition["logic"];
  matches: boolean;
  groups: { matches: boolean; filters: ExplainedFilter[]; conditions?: ExplainedCondition }[];
}

/** Why a contact is a member, or is not. */
export interface Explanation {
  contactId: string;
  matches: boolean;
  /** Null for a static segment. */
  condition: ExplainedCondition | null;
  /** Since when it is on the list, or was counted in; null if nobody noted it. */
  enteredAt: Date | null;
}

/** A segment that a contact is in. */
export interface MembershipOf {
  id: string;
  name: string;
  slug: string;
  type: "DYNAMIC" | "STATIC";
}

const MAX_COUNTED = 1_000;

/** Explains a segment for one contact. Throws SEGMENT_NOT_FOUND and CONTACT_NOT_FOUND. */
export async function explainSegment(
  ctx: Context,
  projectId: string,
  segmentId: string,
  contactId: string,
): Promise<Explanation> {
  const segment = await q.segments.byId(ctx, { projectId, segmentId });
  if (!segment) throw problems.segmentNotFound(segmentId);
  const contact = await getContact(ctx, projectId, contactId);
  const member = await q.segmentMembers.of(ctx, { projectId, segmentId, contactId });
  const enteredAt = member?.enteredAt ?? null;
  if (segment.type === "STATIC") return { contactId, matches: member !== null, condition: null, enteredAt };
  const condition = segment.condition as unknown as Condition;
  const filters = [...filtersOf(condition)].map(({ filter }) => filter);
  const answers = await answersOf(ctx, projectId, contactId, filters);
  const found = await foundBy(ctx, projectId, contact, filters);
  let next = 0;
  const explained = explain(condition, (filter) => {
    const at = next++;
    return { ...filter, matches: answers[at]!, found: found(filter) };
  });
  return { contactId, matches: explained.matches, condition: explained, enteredAt };
}

/** The segments that a contact is in now. */
export async function segmentsOf(
  ctx: Context,
  projectId: string,
  contactId: string,
): Promise<MembershipOf[]> {
  const segments = await q.segments.list(ctx, { projectId });
  const filters = segments.map(({ id }) => ({ field: `segment.${id}`, operator: "memberOfSegment" }));
  const answers = await answersOf(ctx, projectId, contactId, filters);
  return segments
    .filter((_segment, n) => answers[n])
    .map(({ id, name, slug, type }) => ({ id, name, slug, type }));
}

/** How many questions in one statement: each may be about a segment with 200 filters of its own. */
const ASKED_AT_ONCE = 20;

async function answersOf(
  ctx: Context,
  projectId: string,
  contactId: string,
  filters: Filter[],
): Promise<boolean[]> {
  const rows = await q.segments.conditions(ctx, { projectId });
  const options = { now: ctx.now(), segments: new Map(rows.map((row) => [row.id, row])) };
  const answers: boolean[] = [];
  for (let from = 0; from < filters.length; from += ASKED_AT_ONCE) {
    const asked = compileAnswers(ctx.sql, projectId, filters.slice(from, from + ASKED_AT_ONCE), options);
    const row = await q.audience.answers(ctx, { projectId, contactId, answers: asked });
    if (!row) throw problems.contactNotFound(contactId);
    answers.push(...row.answers);
  }
  return answers;
}

/** In the order of {@linkcode filtersOf}. */
function explain(
  { logic, groups }: Condition,
  answer: (filter: Filter) => ExplainedFilter,
): ExplainedCondition {
  const explained = groups.map((group) => {
    const filters = (group.filters ?? []).map(answer);
    const conditions = group.conditions && explain(group.conditions, answer);
    const matches = filters.every((filter) => filter.matches) && (conditions?.matches ?? true);
    return { matches, filters, ...(conditions && { conditions }) };
  });
  const matches =
    logic === "AND" ? explained.every((group) => group.matches) : explained.some((group) => group.matches);
  return { logic, matches, groups: explained };
}

/** What the contact has where each filter looks. */
async function foundBy(ctx: Context, projectId: string, contact: Contact, filters: Filter[]) {
  const now = ctx.now();
  const asked = filters.flatMap((filter, n) => {
    const field = fieldOf(filter.field)!;
    return field.kind === "event"
      ? [{ n, name: field.name, since: countedSince(filter, now), ...sourcesOf(filter) }]
      : [];
  });
  const happened = await q.audience.happened(ctx, {
    projectId,
    contactId: contact.id,
    asked,
    now,
    upTo: MAX_COUNTED,
  });
  const events = new Map(happened.map(({ n, ...event }) => [filters[n]!, event]));
  const segments = new Map((await q.segments.list(ctx, { projectId })).map(({ id, name }) => [id, name]));
  return (filter: Filter): unknown => {
    const { field: name } = filter;
    const field = fieldOf(name)!;
    switch (field.kind) {
      case "event":
        return events.get(filter) ?? { count: 0, lastAt: null };
      case "segment":
        return segments.get(field.id) ?? null;
      case "data":
        return valueAt(contact.data as Record<string, unknown>, field.path) ?? null;
      case "text":
      case "boolean":
      case "time":
        return isStandard(name) ? contact[name] : null;
    }
  };
}

const sourcesOf = ({ campaignId, templateId }: Filter) => ({
  campaign_id: campaignId ?? null,
  template_id: templateId ?? null,
});

/** The begin of the period in which a filter counts; null if it counts all. */
function countedSince({ count, value, unit }: Filter, now: Date): Date | null {
  return typeof count === "number" && isUnit(unit) ? unitsBefore(now, value as number, unit) : null;
}

/** The value under the whole path as one key, else under its parts as keys within keys, as conditions read it. */
function valueAt(data: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(data, path)) return data[path];
  return path
    .split(".")
    .reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined,
      data,
    );
}
