// Which contacts: by part of the address, by subscription, by segment and by a condition, all at once.
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Fragment } from "../db/types.ts";
import { problems } from "../problem/mod.ts";
import { withinBudget } from "../time_budget.ts";
import { allOf, compileCondition } from "./conditions/mod.ts";
import { knownSources, sourceErrors } from "./conditions/sources.ts";
import { type Condition, conditionErrors, referenceErrors } from "./conditions/tree.ts";
import { compileFilter, type ContactFilter, countBySubscription } from "./contacts/list.ts";
import { lookAtSample } from "./sampling.ts";
import { inSegment } from "./segments/audience.ts";

/** What the selected contacts have in common. An empty one is everybody. */
export interface Selection extends ContactFilter {
  segmentId?: string | undefined;
  /** Of a segment that is not saved. */
  condition?: unknown;
}

/**
 * A selection as SQL over the contact `c`. A function, because a fragment goes into one statement only. `whole`: as of the
 * compiler.
 */
export type Selected = (ctx: Pick<Context, "sql">, how?: { whole: boolean }) => Fragment;

// An exact count of a common search term or of a condition reads the whole project. What takes longer is estimated.
const COUNT_BUDGET_MS = 250;

/**
 * Compiles a selection. Throws SEGMENT_NOT_FOUND, and 422 with everything that is wrong with the condition, below `at`.
 */
export async function compileSelection(
  ctx: Context,
  projectId: string,
  { segmentId, condition, ...filter }: Selection,
  at = "condition",
): Promise<Selected> {
  if (segmentId === undefined && condition === undefined) return (on) => compileFilter(on, filter);
  const errors = condition === undefined ? [] : conditionErrors(condition, at);
  if (errors.length > 0) throw problems.invalid(errors);
  const rows = await q.segments.conditions(ctx, { projectId });
  const segments = new Map(rows.map((row) => [row.id, row]));
  if (segmentId !== undefined && !segments.has(segmentId.toLowerCase()))
    throw problems.segmentNotFound(segmentId);
  const tree = condition as Condition | undefined;
  const wrong =
    tree === undefined
      ? []
      : [
          ...referenceErrors(null, tree, rows, at),
          ...sourceErrors(tree, await knownSources(ctx, projectId, tree), at),
        ];
  if (wrong.length > 0) throw problems.invalid(wrong);
  const trees = [
    ...(segmentId === undefined ? [] : [inSegment(segmentId.toLowerCase())]),
    ...(tree === undefined ? [] : [tree]),
  ];
  const options = { now: ctx.now(), segments };
  return ({ sql }, how) =>
    allOf(sql, [
      compileFilter({ sql }, filter),
      ...trees.map((each) => compileCondition(sql, projectId, each, { ...options, ...how })),
    ]);
}

/**
 * How many contacts are selected: from counters where that is all there is to know; counted within a quarter of a second;
 * beyond that estimated from a sample.
 */
export async function countSelected(
  ctx: Context,
  projectId: string,
  selection: Selection,
  selected: Selected,
): Promise<{ total: number; estimated: boolean }> {
  const { search, segmentId, condition, subscribed } = selection;
  const total = await countBySubscription(ctx, projectId, subscribed);
  const isCounted = !search && segmentId === undefined && condition === undefined;
  if (isCounted || total === 0) return { total, estimated: false };
  const exact = await withinBudget(ctx, COUNT_BUDGET_MS, async (tx) => {
    await q.audience.allowHashing(tx);
    return await q.contacts.countMatching(tx, { projectId, filter: selected(tx, { whole: true }) });
  });
  if (exact) return { total: exact.total, estimated: false };
  return { total: (await estimateSelected(ctx, projectId, selected, total)).count, estimated: true };
}

/** What a sample says of the contacts that are selected. */
export interface Estimate {
  count: number;
  /** Those of them who are subscribed. */
  reachable: number;
  /** The ids of the newest in the sample, five at most. */
  newest: string[];
}

/** How many of a project's `total` contacts are selected, from a sample of them. */
export async function estimateSelected(
  ctx: Context,
  projectId: string,
  selected: Selected,
  total: number,
): Promise<Estimate> {
  const sample = await lookAtSample(total, (part) =>
    q.contacts.sampleMatching(ctx, { projectId, ...part, filter: selected(ctx) }),
  );
  const all = (part: number) => (sample.seen === 0 ? 0 : Math.round((part / sample.seen) * total));
  return { count: all(sample.matching), reachable: all(sample.reachable), newest: sample.newest };
}
