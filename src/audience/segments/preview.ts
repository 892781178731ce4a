import { type Context, inTransaction } from "../../context.ts";
import { isTimeout } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import type { Fragment } from "../../db/types.ts";
import { problems } from "../../problem.ts";
import { compileCondition } from "../conditions/mod.ts";
import { type Condition, conditionErrors, referenceErrors } from "../conditions/tree.ts";
import type { Contact } from "../contacts/mod.ts";

/** Whom a condition would match, before it is saved. */
export interface SegmentPreview {
  count: number;
  /** Those of them who are subscribed. */
  reachable: number;
  /** The counts are those of a sample of contacts, multiplied. */
  estimated: boolean;
  /** The newest of them. */
  sample: Contact[];
}

const SAMPLE = 5;
/** Somebody waits at a keyboard: what takes longer is estimated. */
const PATIENCE_MS = 250;
/** A condition over very many events takes its time even for a few contacts: then it is refused as too slow. */
const ESTIMATE_MS = 5_000;
/** One contact in so many is looked at then. */
const ONE_IN = 64;

/**
 * Counts the contacts whom a condition matches, and shows five of them. Where counting takes longer than a quarter of a
 * second, one contact in 64 is looked at. Throws 422 for a fault in the condition.
 */
export async function previewSegment(
  ctx: Context,
  projectId: string,
  condition: unknown,
  { patienceMs = PATIENCE_MS } = {},
): Promise<SegmentPreview> {
  const errors = conditionErrors(condition);
  if (errors.length > 0) throw problems.invalid(errors);
  const segments = await q.segments.conditions(ctx, { projectId });
  const wrong = referenceErrors(null, condition as Condition, segments);
  if (wrong.length > 0) throw problems.invalid(wrong);
  const options = { now: ctx.now(), segments: new Map(segments.map((row) => [row.id, row])) };
  const audience = (tx: Context, whole: boolean) =>
    compileCondition(tx.sql, projectId, condition as Condition, { ...options, whole });
  try {
    return { ...(await look(ctx, projectId, audience, { oneIn: 1, patienceMs })), estimated: false };
  } catch (error) {
    if (!isTimeout(error)) throw error;
    const { count, reachable, sample } = await look(ctx, projectId, audience, {
      oneIn: ONE_IN,
      patienceMs: ESTIMATE_MS,
    });
    return { count: count * ONE_IN, reachable: reachable * ONE_IN, sample, estimated: true };
  }
}

/** Counts among one contact in `oneIn`, for so long at most. */
async function look(
  ctx: Context,
  projectId: string,
  audience: (tx: Context, whole: boolean) => Fragment,
  { oneIn, patienceMs }: { oneIn: number; patienceMs: number },
) {
  return await inTransaction(ctx, async (tx) => {
    await q.audience.hurry(tx, { timeout: `${patienceMs}ms` });
    await q.audience.allowHashing(tx);
    const among = () => ({ projectId, audience: audience(tx, oneIn === 1), oneIn });
    const counted = await q.audience.countReachable(tx, among());
    // Looking for the newest of none would go past all contacts, one by one.
    const sample = counted.count === 0 ? [] : await q.audience.sample(tx, { ...among(), limit: SAMPLE });
    return { ...counted, sample };
  });
}
