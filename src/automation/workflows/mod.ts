import { type Context, inTransaction } from "../../context.ts";
import { containing } from "../../db/like.ts";
import { q } from "../../db/queries.ts";
import { beginEdit, type Edit, NOBODY } from "../../edits.ts";
import { problems } from "../../problem/mod.ts";
import { COUNT_UP_TO } from "../../totals.ts";
import { saveTriggerReferences } from "./references.ts";
import {
  type ConnectedStep,
  graphRowsOf,
  toStep,
  toTransition,
  toWorkflow,
  type Workflow,
} from "./records.ts";
import { editedOf } from "./settings.ts";

/** Which page of which workflows. */
export interface WorkflowPage {
  page: number;
  pageSize: number;
  enabled?: boolean | undefined;
  /** A part of the name or the description, in any case. */
  search?: string | undefined;
  sort: "name" | "createdAt" | "updatedAt";
  dir: "asc" | "desc";
}

/** What a new workflow is made of. */
export interface WorkflowInput {
  name: string;
  description?: string | null | undefined;
  eventName: string;
  allowReentry?: boolean | undefined;
}

/** How long a name may be. */
export const MAX_WORKFLOW_NAME = 255;
const COPY = " (Copy)";
const MAX_ACTIVE_COUNTED = 10_000;

/** One page of workflows, each with how many steps and executions it has, and how many workflows there are in all. */
export async function listWorkflows(
  ctx: Context,
  projectId: string,
  { page, pageSize, enabled, search, sort, dir }: WorkflowPage,
): Promise<{
  data: (Workflow & { _count: { steps: number; executions: number; active: number } })[];
  total: number;
}> {
  const text = search?.trim();
  const filter = { projectId, enabled: enabled ?? null, pattern: text ? containing(text) : null };
  const [rows, { total }] = await Promise.all([
    q.workflows.list(ctx, {
      ...filter,
      sort,
      dir,
      upTo: COUNT_UP_TO,
      limit: pageSize,
      offset: (page - 1) * pageSize,
    }),
    q.workflows.count(ctx, filter),
  ]);
  const data = rows.map(({ steps, executions, active, ...row }) => ({
    ...toWorkflow(row),
    _count: { steps, executions, active },
  }));
  return { data, total };
}

/** One workflow. Throws WORKFLOW_NOT_FOUND. */
export async function getWorkflow(ctx: Context, projectId: string, workflowId: string): Promise<Workflow> {
  const row = await q.workflows.byId(ctx, { projectId, workflowId });
  if (!row) throw problems.workflowNotFound(workflowId);
  return toWorkflow(row);
}

/**
 * One workflow with its steps, in the order in which they were added, and their transitions, however it is being edited:
 * all is of the same moment. Throws WORKFLOW_NOT_FOUND.
 */
export async function getWorkflowGraph(
  ctx: Context,
  projectId: string,
  workflowId: string,
): Promise<Workflow & { steps: ConnectedStep[] }> {
  const row = await q.workflows.withGraph(ctx, { projectId, workflowId });
  if (!row) throw problems.workflowNotFound(workflowId);
  const { steps: _steps, transitions: _transitions, ...workflow } = row;
  const { steps, transitions } = graphRowsOf(row);
  const outgoing = Map.groupBy(transitions.map(toTransition), ({ fromStepId }) => fromStepId);
  const incoming = Map.groupBy(transitions.map(toTransition), ({ toStepId }) => toStepId);
  const connected = steps.map((step) => ({
    ...toStep(step),
    template: step.templateId === null ? null : { id: step.templateId, name: step.templateName! },
    outgoingTransitions: outgoing.get(step.id) ?? [],
    incomingTransitions: incoming.get(step.id) ?? [],
  }));
  return { ...toWorkflow(workflow), steps: connected };
}

/** Makes a workflow that starts at an event, disabled, with its trigger as the only step. */
export async function createWorkflow(
  ctx: Context,
  projectId: string,
  { name, description, eventName, allowReentry }: WorkflowInput,
  edit: Edit = NOBODY,
): Promise<Workflow> {
  const triggerConfig = { eventName: eventName.trim() };
  return await inTransaction(ctx, async (tx) => {
    await q.edits.actAs(tx, { editor: edit.by });
    const row = await q.workflows.insert(tx, {
      projectId,
      name: name.trim(),
      description: description ?? null,
      triggerConfig,
      allowReentry: allowReentry ?? false,
    });
    await saveTriggerReferences(tx, projectId, row.id, triggerConfig);
    return toWorkflow(row);
  });
}

/**
 * Deletes a workflow with its executions; their mails stay in the ledger. Throws CONFLICT while one is in progress, and 412
 * where somebody has edited it since.
 */
export async function deleteWorkflow(
  ctx: Context,
  projectId: string,
  workflowId: string,
  edit: Edit = NOBODY,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const workflow = await q.workflows.lockForDeletion(tx, { projectId, workflowId });
    if (!workflow) throw problems.workflowNotFound(workflowId);
    const thing = { kind: "workflow", projectId, id: workflowId } as const;
    await beginEdit(tx, { ...edit, purpose: "delete" }, thing, async () =>
      editedOf(await getWorkflow(tx, projectId, workflowId)),
    );
    const { total } = await q.workflows.countActive(tx, { projectId, workflowId, limit: MAX_ACTIVE_COUNTED });
    if (total > 0) throw problems.workflowActive(total);
    await q.workflows.remove(tx, { projectId, workflowId });
  });
}

/** A new workflow with the same trigger, steps and transitions, disabled, with " (Copy)" behind its name. */
export async function duplicateWorkflow(
  ctx: Context,
  projectId: string,
  workflowId: string,
): Promise<Workflow> {
  const { name } = await getWorkflow(ctx, projectId, workflowId);
  // Cut if there is no room, but never within a character.
  const copyName = name.slice(0, MAX_WORKFLOW_NAME - COPY.length).replace(/[\ud800-\udbff]$/, "") + COPY;
  const row = await q.workflows.duplicate(ctx, { projectId, workflowId, name: copyName });
  if (!row) throw problems.workflowNotFound(workflowId);
  return toWorkflow(row);
}
