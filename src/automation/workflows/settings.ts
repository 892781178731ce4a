// What a workflow is besides its graph: its name, when it starts, and whether it is enabled.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { beginEdit, type Edit, editTag, NOBODY } from "../../edits.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { type Graph, TRIGGER } from "../graph.ts";
import { type WorkflowFinding, findingsOf } from "./findings.ts";
import { toWorkflow, type Workflow } from "./records.ts";
import { saveTriggerReferences } from "./references.ts";
import {
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
  edit: Edit = NOBODY,
): Promise<Workflow> {
  return await inTransaction(ctx, async (tx) => {
    const begins = patch.enabled === true || patch.triggerType || patch.triggerConfig;
    // A segment cannot be deleted while this workflow begins to depend on it.
    if (begins) await q.segments.lockAll(tx, { projectId });
    const current = await q.workflows.lock(tx, { projectId, workflowId });
    if (!current) throw problems.workflowNotFound(workflowId);
    await beginEdit(tx, edit, { kind: "workflow", projectId, id: workflowId }, async () => editedOf(current));
    const trigger = triggerAfter(tx, current, patch);
    const enabled = patch.enabled ?? current.enabled;
    if (begins) await assertSegment(tx, projectId, trigger.triggerConfig);
    const isTurnedOn = enabled && !current.enabled;
    if (enabled) await assertRunnable(tx, projectId, workflowId, trigger, isTurnedOn);
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

/** The `ETag` of a workflow: of its settings. Its graph has a version of its own. */
export function workflowTag(workflow: Settings): string {
  return editTag(editedOf(workflow));
}

type Settings = Pick<Workflow, "name" | "description" | "enabled" | "triggerType" | "allowReentry"> & {
  triggerConfig: unknown;
};

/** What people edit of a workflow besides its graph. */
export function editedOf({ name, description, enabled, triggerType, triggerConfig, allowReentry }: Settings) {
  return { name, description, enabled, triggerType, triggerConfig, allowReentry };
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

/**
 * Throws 422 with what an enabled workflow lacks: its trigger, or segments that were deleted while it was disabled. When it
 * is turned on, with everything that is an error of it.
 */
async function assertRunnable(
  tx: Context,
  projectId: string,
  workflowId: string,
  { triggerType, triggerConfig }: Trigger,
  isTurnedOn: boolean,
): Promise<void> {
  const graph = await loadGraph(tx, projectId, workflowId);
  const findings = await findingsOf(tx, projectId, { graph, triggerType, triggerConfig });
  const errors = findings.filter(({ level, field }) => level === "error" && (isTurnedOn || field !== null));
  if (errors.length > 0) throw problems.invalid(errors.map((finding) => toFieldError(graph, finding)));
}

function toFieldError(graph: Graph, { stepId, field, message }: WorkflowFinding): FieldError {
  const step = graph.steps.find(({ id }) => id === stepId);
  if (!step || step.type === TRIGGER) return { field: field ?? "steps", code: "required", message };
  const at = `steps.${step.id}`;
  return {
    field: field === null ? at : `${at}.${field}`,
    code: "custom",
    message: field === null ? message : `${message} (step "${step.name}")`,
  };
}

/** When the schedule comes round next. What was due stays due, unless the schedule is another one now. */
function nextRun(ctx: Context, current: State, next: Trigger & { enabled: boolean }): Date | null {
  if (!next.enabled || next.triggerType !== "SCHEDULE") return null;
  const isSame = current.enabled && Bun.deepEquals(current.triggerConfig, next.triggerConfig);
  if (isSame && current.nextRunAt !== null) return current.nextRunAt;
  return nextRunAt(next.triggerConfig as ScheduleTrigger, ctx.now());
}
