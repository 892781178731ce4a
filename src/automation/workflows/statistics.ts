// How executions fare at each step of a workflow: kept by triggers of the history
// (`step_executions_count_added`, `step_executions_count_ended`).
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { percent } from "../../percent.ts";
import { rollUpAll } from "../../rollup.ts";
import { getWorkflow } from "./mod.ts";
import { COUNT_UP_TO } from "../../totals.ts";

/** How executions fare at a step. */
export interface StepStatistics {
  stepId: string;
  /** There now; 100,000 means that many or more. */
  waiting: number;
  /** Came to it, however often. */
  entered: number;
  passed: number;
  failed: number;
  /** In percent of the executions that began. */
  conversion: number;
  transitions: TransitionStatistics[];
}

/** How many continued by a transition. */
export interface TransitionStatistics {
  to: string;
  branch: string | null;
  passed: number;
  /** In percent of those that passed the step. */
  share: number;
}

/** How executions fare at each step, in the order of the steps: the trigger is the first. Throws WORKFLOW_NOT_FOUND. */
export async function workflowStatistics(
  ctx: Context,
  projectId: string,
  workflowId: string,
): Promise<StepStatistics[]> {
  await getWorkflow(ctx, projectId, workflowId);
  const which = { projectId, workflowId };
  const [counts, waiting, branches, transitions] = await Promise.all([
    q.stepCounts.list(ctx, which),
    q.stepCounts.waiting(ctx, { ...which, upTo: COUNT_UP_TO }),
    q.stepCounts.branches(ctx, which),
    q.workflowGraphs.transitions(ctx, which),
  ]);
  const there = new Map(waiting.map((row) => [row.stepId, row.waiting]));
  const taken = Map.groupBy(branches, ({ stepId }) => stepId);
  const ways = Map.groupBy(transitions, ({ from }) => from);
  const began = counts[0]?.entered ?? 0;
  return counts.map((row) => ({
    ...row,
    waiting: there.get(row.stepId) ?? 0,
    conversion: percent(row.passed, began),
    transitions: passedBy(ways.get(row.stepId) ?? [], taken.get(row.stepId) ?? [], row.passed),
  }));
}

/** How many went by each way out of a step. One without a branch takes what no other one does. */
function passedBy(
  ways: { to: string; branch: string | null }[],
  branches: { branch: string; passed: number }[],
  passed: number,
): TransitionStatistics[] {
  const by = new Map(branches.map((row) => [row.branch, row.passed]));
  const named = ways.reduce((sum, { branch }) => sum + (branch === null ? 0 : (by.get(branch) ?? 0)), 0);
  return ways.map(({ to, branch }) => {
    const count = branch === null ? passed - named : (by.get(branch) ?? 0);
    return { to, branch, passed: count, share: percent(count, passed) };
  });
}

/** Adds what was counted since the last time to the counts. Returns whether there was anything. */
export async function rollUpStepCounts(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, q.stepCounts.rollUp);
}
