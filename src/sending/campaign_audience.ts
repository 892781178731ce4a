// Whom a campaign reaches: everyone, a segment or a condition, and of MARKETING and HEADLESS only the subscribed.
import type { Condition } from "../audience/condition_tree.ts";
import { compileCondition } from "../audience/conditions.ts";
import { audienceOf } from "../audience/segment_audience.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Fragment } from "../db/types.ts";

/** What decides who gets a campaign. */
export interface CampaignAudience {
  type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
  audienceType: "ALL" | "SEGMENT" | "FILTERED";
  segmentId: string | null;
  audienceCondition: Condition | null;
}

/**
 * The audience as a boolean over the contact `c`; a function, because a fragment goes into one statement only. Nobody
 * belongs to a segment that has been deleted.
 */
export async function compileAudience(
  ctx: Context,
  projectId: string,
  campaign: CampaignAudience,
): Promise<() => Fragment> {
  const members = await membersOf(ctx, projectId, campaign);
  if (campaign.type === "TRANSACTIONAL") return members;
  return () => ctx.sql`(c.subscribed and ${members()})`;
}

async function membersOf(
  ctx: Context,
  projectId: string,
  { audienceType, segmentId, audienceCondition }: CampaignAudience,
): Promise<() => Fragment> {
  if (audienceType === "ALL") return () => ctx.sql`true`;
  if (audienceType === "SEGMENT") {
    return segmentId === null ? () => ctx.sql`false` : await audienceOf(ctx, projectId, segmentId);
  }
  const rows = await q.segments.conditions(ctx, { projectId });
  const options = { now: ctx.now(), segments: new Map(rows.map((row) => [row.id, row])) };
  return () => compileCondition(ctx.sql, projectId, audienceCondition!, options);
}

/** How many contacts a campaign would reach now. */
export async function countRecipients(
  ctx: Context,
  projectId: string,
  campaign: CampaignAudience,
): Promise<number> {
  return await inTransaction(ctx, async (tx) => {
    const audience = await compileAudience(tx, projectId, campaign);
    await q.audience.allowHashing(tx);
    return (await q.audience.countMatching(tx, { projectId, audience: audience() })).total;
  });
}
