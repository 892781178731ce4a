import type { Context } from "../../context.ts";
import { enqueue } from "../runs/jobs.ts";
import type { Outcome } from "../runs/run.ts";
import { all, type Visit } from "./visit.ts";
import { keyOf } from "../webhooks/mod.ts";
import type { GraphStep } from "../workflows/graph.ts";

/** Has the webhook called in jobs of their own; `finishStep` lets the executions go on. */
export async function performWebhook(
  tx: Context,
  _step: GraphStep<"WEBHOOK">,
  visits: Visit[],
): Promise<Outcome[]> {
  const calls = visits.map(({ run, pageId }) => ({
    projectId: run.projectId,
    executionId: run.id,
    stepExecutionId: pageId,
  }));
  await enqueue(
    tx,
    calls.map((payload) => ({ task: "call_webhook", payload, key: keyOf(payload) })),
  );
  return all(visits, { kind: "ask" });
}
