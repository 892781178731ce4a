// What a workflow is besides its graph: its name, when it starts, and whether it is enabled.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { type FieldError, problems } from "../../problem.ts";
import { stepTypeOf } from "../steps/mod.ts";
import { toWorkflow, type Workflow } from "./records.ts";
import { saveTriggerReferences } from "./references.ts";
import {
  missingTrigger,
  nextRunAt,
  readTrigger,
  type ScheduleTrigger,
  type TriggerConfig,
  triggerErrors,
  type TriggerType,
} from "./trigger.ts";
import { loadGraph } from "./versions.ts";

/** What a PATCH may change. */
export interface WorkflowPatch {
  name?: string | undefined;
  description?: string | null | undefined;
  triggerType?: TriggerType | undefined;
  triggerConfig?: unknown;
  enabled?: boolean | undefined;
  allowReentry?: boolean | undefined;
}

type State = NonNullable<Awaited<ReturnType<Queries["workflows"]["lock"]>>>;

interface Trigger {
  triggerType: TriggerType;
  triggerConfig: TriggerConfig;
}

/**
 * Changes the fields given. Active executions continue as they began. Throws 422 with every field of the trigger that
 * is wrong and, where the workflow is enabled, with everything that it lacks; 404 for the workflow and for the segment
 * of a schedule.
 */
export async function patchWorkflow(
  ctx: Context,
  projectId: string,
  workflowId: string,
  patch: WorkflowPatch,
): Promise<Workflow> {
  return await inTransaction(ctx, async (tx) => {
    const begins = patch.enabled === true || patch.triggerType || patch.triggerConfig;
    // A segment cannot be deleted while this workflow begins to depend on it.
    if (begins) await q.segments.lockAll(tx, { projectId });
    const current = await q.workflows.lock(tx, { projectId, workflowId });
    if (!current) throw problems.workflowNotFound(workflowId);
    const trigger = triggerAfter(tx, current, patch);
    const enabled = patch.enabled ?? current.enabled;
    if (begins) await assertSegment(tx, projectId, trigger.triggerConfig);
    if (enabled) await assertRunnable(tx, projectId, workflowId, trigger);
    const row = await q.workflows.update(tx, {
      projectId,
      workflowId,
      name: patch.name?.trim() ?? current.name,
      description: patch.description === undefined ? current.description : patch.description,
      enabled,
      ...trigger,
      allowReentry: patch.allowReentry ?? current.allowReentry,
      nextRunAt: nextRun(tx, current, { ...trigger, enabled }),
    });
    await saveTriggerReferences(tx, projectId, workflowId, trigger.triggerConfig);
    return toWorkflow(row);
  });
}

/** The trigger with the changes of a request. Another type without a config has none until it gets one. */
function triggerAfter(ctx: Context, current: State, patch: WorkflowPatch): Trigger {
  const triggerType = patch.triggerType ?? current.triggerType;
  if (patch.triggerConfig === undefined) {
    const isSame = triggerType === current.triggerType;
    return {
      triggerType,
      triggerConfig: isSame ? (current.triggerConfig as unknown as TriggerConfig) : null,
    };
  }
  const errors = triggerErrors(triggerType, patch.triggerConfig, ctx.now());
  if (errors.length > 0) throw problems.invalid(errors);
  return { triggerType, triggerConfig: readTrigger(triggerType, patch.triggerConfig) };
}

async function assertSegment(ctx: Context, projectId: string, config: TriggerConfig): Promise<void> {
  const segmentId = config && "schedule" in config ? config.segmentId : undefined;
  if (segmentId === undefined) return;
  if (!(await q.segments.byId(ctx, { projectId, segmentId }))) throw problems.segmentNotFound(segmentId);
}

/** Throws 422 with what an enabled workflow lacks: its trigger, or segments that were deleted while it was disabled. */
async function assertRunnable(
  tx: Context,
  projectId: string,
  workflowId: string,
  { triggerType, triggerConfig }: Trigger,
): Promise<void> {
  const { steps } = await loadGraph(tx, projectId, workflowId);
  const segments = await q.segments.conditions(tx, { projectId });
  const faults: FieldError[] = [];
  for (const step of steps) {
    const wrong = (await stepTypeOf(step).segmentFaults?.(step.config, async () => segments)) ?? [];
    for (const error of wrong) {
      const message = `${error.message} (step "${step.name}")`;
      faults.push({ ...error, field: `steps.${step.id}.${error.field}`, message });
    }
  }
  const errors = [...missingTrigger(triggerType, triggerConfig), ...faults];
  if (errors.length > 0) throw problems.invalid(errors);
}

/** When the schedule comes round next. What was due stays due, unless the schedule is another one now. */
function nextRun(ctx: Context, current: State, next: Trigger & { enabled: boolean }): Date | null {
  if (!next.enabled || next.triggerType !== "SCHEDULE") return null;
  const isSame = current.enabled && Bun.deepEquals(current.triggerConfig, next.triggerConfig);
  if (isSame && current.nextRunAt !== null) return current.nextRunAt;
  return nextRunAt(next.triggerConfig as ScheduleTrigger, ctx.now());
}
