// Executions by the day on which they began: kept by triggers (`count_executions_added`), rolled up and checked here.
import { type Context, inTransaction, patiently } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { rollUpAll } from "../../rollup.ts";

/** A day whose counter of started executions is wrong. */
export type ExecutionCountFault = Awaited<ReturnType<Queries["executionCounts"]["faults"]>>[number];

/** Adds what has been counted since the last time to the days. Returns whether there was anything. */
export async function rollUpExecutionCounts(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, q.executionCounts.rollUp);
}

/** Compares the counters of a project with its executions, and returns up to `limit` faults. */
export async function executionCountFaults(
  ctx: Context,
  projectId: string,
  { limit }: { limit: number },
): Promise<ExecutionCountFault[]> {
  return await inTransaction(patiently(ctx), async (tx) => {
    await q.recounts.takeTime(tx);
    return await q.executionCounts.faults(tx, { projectId, limit });
  });
}

/** Makes the counters of a project equal its executions, while others begin. Returns how many days were wrong. */
export async function recountExecutions(ctx: Context, projectId: string): Promise<number> {
  return await inTransaction(patiently(ctx), async (tx) => {
    await q.recounts.hold(tx, { projectId, kind: "executions" });
    return await q.executionCounts.recount(tx, { projectId });
  });
}
