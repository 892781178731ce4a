import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { withinBudget } from "../time_budget.ts";
import type { Contact } from "./contacts/mod.ts";
import { countBySubscription } from "./contacts/list.ts";
import { compileSelection, estimateSelected, type Selected } from "./selection.ts";

/** Whom a condition would match, before it is saved. */
export interface SegmentPreview {
  count: number;
  /** Those of them who are subscribed. */
  reachable: number;
  /** The counts are those of a sample of contacts, multiplied. */
  estimated: boolean;
  /** The newest of them; if it is estimated, of those in the sample. */
  sample: Contact[];
}

const SAMPLE = 5;
/** Somebody waits at a keyboard: what takes longer is estimated. */
const PATIENCE_MS = 170;

/**
 * Counts the contacts whom a condition matches, and shows five of them. What takes longer than a sixth of a second is
 * estimated from a sample. Throws 422 for a fault in the condition.
 */
export async function previewSegment(
  ctx: Context,
  projectId: string,
  condition: unknown,
  { patienceMs = PATIENCE_MS } = {},
): Promise<SegmentPreview> {
  const selected = await compileSelection(ctx, projectId, { condition: condition ?? null });
  const exact = await lookAtAll(ctx, projectId, selected, patienceMs);
  if (exact) return { ...exact, estimated: false };
  const total = await countBySubscription(ctx, projectId);
  const { newest, ...counts } = await estimateSelected(ctx, projectId, selected, total);
  const sample = newest.length === 0 ? [] : await q.contacts.byIds(ctx, { projectId, ids: newest });
  return { ...counts, sample, estimated: true };
}

/** The exact numbers. Null if they take longer. */
async function lookAtAll(ctx: Context, projectId: string, selected: Selected, patienceMs: number) {
  const startedAt = performance.now();
  const counted = await withinBudget(ctx, patienceMs, async (tx) => {
    await q.audience.allowHashing(tx);
    return await q.audience.countReachable(tx, { projectId, audience: selected(tx, { whole: true }) });
  });
  // Looking for the newest of none would go past all contacts, one by one.
  if (!counted || counted.count === 0) return counted && { ...counted, sample: [] };
  const leftMs = Math.max(1, Math.round(patienceMs - (performance.now() - startedAt)));
  const sample = await withinBudget(ctx, leftMs, async (tx) => {
    await q.audience.allowHashing(tx);
    const audience = selected(tx, { whole: true });
    return await q.contacts.newest(tx, { projectId, audience, limit: SAMPLE });
  });
  return sample && { ...counted, sample };
}
