// Whom a campaign reaches: everyone, a segment or a condition, and of MARKETING and HEADLESS only the subscribed.
import { type Condition, type SegmentDefinition, segmentReferences } from "../../audience/conditions/tree.ts";
import { compileCondition } from "../../audience/conditions/mod.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Fragment } from "../../db/types.ts";

/** What decides who gets a campaign. */
export interface CampaignAudience {
  type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
  audienceType: "ALL" | "SEGMENT" | "FILTERED";
  segmentId: string | null;
  audienceCondition: Condition | null;
}

type Segment = Pick<SegmentDefinition, "type" | "condition">;

/** An audience as defined at one moment, with the segments that it refers to. It can be stored as JSON. */
export interface AudienceDefinition {
  /** Null for everyone. */
  condition: Condition | null;
  segments: Record<string, Segment>;
  /** Its segment is gone. */
  isEmpty: boolean;
}

/** The audience of a campaign as it is defined now. */
export async function defineAudience(
  ctx: Context,
  projectId: string,
  { audienceType, segmentId, audienceCondition }: CampaignAudience,
): Promise<AudienceDefinition> {
  if (audienceType === "ALL") return { condition: null, segments: {}, isEmpty: false };
  const rows = await q.segments.conditions(ctx, { projectId });
  const all = new Map(rows.map(({ id, type, condition }) => [id, { type, condition } as Segment]));
  const condition = audienceType === "FILTERED" ? audienceCondition! : membersOf(segmentId ?? "");
  const isEmpty = audienceType === "SEGMENT" && !all.has(segmentId ?? "");
  return { condition, segments: isEmpty ? {} : reachedFrom(condition, all), isEmpty };
}

/**
 * The audience as a boolean over the contact `c`; a function, because a fragment goes into one statement only. `now` is
 * what its relative times count from; `whole`: as of the compiler.
 */
export function compileAudience(
  { sql }: Context,
  projectId: string,
  type: CampaignAudience["type"],
  { condition, segments, isEmpty }: AudienceDefinition,
  { now, whole = false }: { now: Date; whole?: boolean },
): () => Fragment {
  const options = { now, whole, segments: new Map(Object.entries(segments)) };
  return () => {
    if (isEmpty) return sql`false`;
    const members = condition === null ? sql`true` : compileCondition(sql, projectId, condition, options);
    return type === "TRANSACTIONAL" ? members : sql`(c.subscribed and ${members})`;
  };
}

/** How many contacts a campaign would reach now. */
export async function countRecipients(
  ctx: Context,
  projectId: string,
  campaign: CampaignAudience,
  definition?: AudienceDefinition,
): Promise<number> {
  return await inTransaction(ctx, async (tx) => {
    const defined = definition ?? (await defineAudience(tx, projectId, campaign));
    const audience = compileAudience(tx, projectId, campaign.type, defined, { now: tx.now(), whole: true });
    await q.audience.allowHashing(tx);
    return (await q.audience.countMatching(tx, { projectId, audience: audience() })).total;
  });
}

/** The tree that matches exactly the contacts of the segment. */
function membersOf(segmentId: string): Condition {
  const filter = { field: `segment.${segmentId}`, operator: "memberOfSegment" };
  return { logic: "AND", groups: [{ filters: [filter] }] };
}

/** The segments that a condition leads to, by their ids. */
function reachedFrom(condition: Condition, all: ReadonlyMap<string, Segment>): Record<string, Segment> {
  const reached: Record<string, Segment> = {};
  const waiting = segmentReferences(condition);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const segment = all.get(id);
    if (!segment || Object.hasOwn(reached, id)) continue;
    reached[id] = segment;
    if (segment.condition !== null) waiting.push(...segmentReferences(segment.condition as Condition));
  }
  return reached;
}
