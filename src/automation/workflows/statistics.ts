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
  /** There at this moment; 100,000 means that many or more. */
  waiting: number;
  /** Came to it, however often. */
  entered: number;
  passed: number;
  failed: number;
  /** In percent of the executions that began. */
  conversion: number;
}

/** How executions fare at each step, in the order of the steps: the trigger is the first. Throws WORKFLOW_NOT_FOUND. */
export async function workflowStatistics(
  ctx: Context,
  projectId: string,
  workflowId: string,
): Promise<StepStatistics[]> {
  await getWorkflow(ctx, projectId, workflowId);
  const [counts, waiting] = await Promise.all([
    q.stepCounts.list(ctx, { projectId, workflowId }),
    q.stepCounts.waiting(ctx, { projectId, workflowId, upTo: COUNT_UP_TO }),
  ]);
  const there = new Map(waiting.map((row) => [row.stepId, row.waiting]));
  const began = counts[0]?.entered ?? 0;
  return counts.map((row) => ({
    ...row,
    waiting: there.get(row.stepId) ?? 0,
    conversion: percent(row.passed, began),
  }));
}

/** Adds what was counted since the last time to the counts. Returns whether there was anything. */
export async function rollUpStepCounts(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, q.stepCounts.rollUp);
}
