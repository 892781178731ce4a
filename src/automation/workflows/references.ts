// Which segments and events a workflow names: written when a step or the trigger is saved, so that uses are found by an
// index.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { stepTypeOf } from "../steps/mod.ts";
import { type TriggerConfig, triggerReferences } from "./trigger.ts";

/** Identifies a step. */
interface StepKey {
  projectId: string;
  workflowId: string;
  stepId: string;
}

/** Writes down what a step refers to, in the transaction that saves it. `config` is complete. */
export async function saveReferences(
  tx: Context,
  { projectId, workflowId, stepId }: StepKey,
  { type, config }: { type: string; config: unknown },
): Promise<void> {
  const rows = stepTypeOf({ type }).refersTo?.(config) ?? [];
  await q.workflowReferences.replace(tx, { projectId, workflowId, stepId, rows });
}

/** Writes down what a trigger refers to, in the transaction that saves it. */
export async function saveTriggerReferences(
  tx: Context,
  projectId: string,
  workflowId: string,
  config: TriggerConfig,
): Promise<void> {
  const rows = triggerReferences(config);
  await q.workflowReferences.replace(tx, { projectId, workflowId, stepId: null, rows });
}
