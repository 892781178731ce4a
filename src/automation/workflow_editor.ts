// Changes of a workflow's steps and transitions. Each holds the workflow, so that no two at once can break together
// what either keeps to alone; executions under way go on by the version that they began with.
import { type Context, inTransaction } from "../context.ts";
import { violatedConstraint } from "../database_errors.ts";
import { q } from "../db/queries.ts";
import type { Json } from "../db/types.ts";
import { problems } from "../problem.ts";
import { namesSegments, segmentFaults } from "./workflow_conditions.ts";
import {
  branchesOf,
  type Graph,
  type GraphStep,
  type GraphTransition,
  type StepConfigs,
  type StepType,
  triggerOf,
  wayOut,
} from "./workflow_graph.ts";
import { assertBranchesKept, assertPauses, assertTransition, openEnd } from "./workflow_rules.ts";
import {
  completeConfig,
  stepErrors,
  type StepInput,
  storedConfig,
  templateOf,
} from "./workflow_steps_input.ts";
import { loadGraph } from "./workflow_versions.ts";
import { type Step, type Transition, toStep, toTransition } from "./workflows.ts";

/** A new step. */
export interface NewStep extends StepInput {
  type: StepType;
  name: string;
  position?: Position | null | undefined;
}

/** Where an editor shows a step. */
export interface Position {
  x: number;
  y: number;
}

/** What a PATCH may change of a step. */
export interface StepPatch extends StepInput {
  type?: StepType | undefined;
  name?: string | undefined;
  position?: Position | undefined;
}

/** A new transition. */
export interface NewTransition {
  fromStepId: string;
  toStepId: string;
  branch: string | null;
  priority: number;
}

const MAX_STEPS = 500;
const ORIGIN: Position = { x: 0, y: 0 };

/**
 * Adds a step. With `autoConnect` it follows the only open end of what the trigger leads to, where there is just one
 * that needs no branch; else it stays unconnected. Throws 422 with every field of the config that is wrong, 400 for a
 * second trigger, and 404 for the workflow and the template.
 */
export async function addStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  input: NewStep & { autoConnect: boolean },
): Promise<Step> {
  if (input.type === "TRIGGER") throw problems.badRequest("Cannot add a trigger: every workflow has just one");
  return await edit(ctx, projectId, workflowId, input, async (tx, graph) => {
    const end = input.autoConnect ? openEnd(graph) : null;
    const step = await insertStep(tx, projectId, workflowId, graph, input);
    if (end) await connect(tx, projectId, workflowId, { fromStepId: end.id, toStepId: step.id });
    return step;
  });
}

/**
 * Changes what is given of a step; a config is replaced as a whole. Throws 422 with every field that is wrong, and 400
 * for another type, the config of the trigger, or a config without a branch by which a transition leaves.
 */
export async function patchStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  stepId: string,
  patch: StepPatch,
): Promise<Step> {
  return await edit(ctx, projectId, workflowId, patch, async (tx, graph) => {
    const rows = await q.workflowSteps.ofWorkflow(tx, { projectId, workflowId });
    const row = rows.find(({ id }) => id === stepId);
    if (!row) throw problems.notFound("workflow step", stepId);
    if (patch.type !== undefined && patch.type !== row.type) {
      throw problems.badRequest(
        "Cannot change the type of a step",
        "Add a step of the other type, and delete this one",
      );
    }
    if (row.type === "TRIGGER" && patch.config !== undefined) {
      throw problems.badRequest(
        "Cannot change the config of a trigger step",
        "Change triggerType and triggerConfig of the workflow instead",
      );
    }
    const input: StepInput = {
      config: patch.config ?? row.config,
      templateId: patchedTemplate(row.templateId, patch),
    };
    await assertStep(tx, projectId, row.type, input);
    const config = storedConfig(row.type, input.config);
    assertFits(graph, { ...row, config: completeConfig(row.type, config) } as GraphStep);
    const changed = await q.workflowSteps.update(tx, {
      projectId,
      stepId,
      name: patch.name?.trim() ?? row.name,
      position: patch.position ?? (row.position as unknown as Position),
      config,
      templateId: templateOf(row.type, input),
    });
    return toStep(changed);
  });
}

/**
 * Deletes a step with its transitions. With `splice` whatever led to it leads to the step behind it from now on. Throws
 * 400 for the trigger, and where what is behind it is not one step.
 */
export async function deleteStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  stepId: string,
  { splice }: { splice: boolean },
): Promise<void> {
  await edit(ctx, projectId, workflowId, {}, async (tx, graph) => {
    const step = stepOf(graph, stepId);
    if (step.type === "TRIGGER") {
      throw problems.badRequest("Cannot delete the trigger: every workflow has just one");
    }
    const incoming = graph.transitions.filter(({ to }) => to === stepId);
    const successor = splice ? successorOf(graph, step) : null;
    if (successor !== null) {
      assertSpliced(graph, stepId, successor);
      const transitionIds = incoming.map(({ id }) => id);
      await q.workflowSteps.redirect(tx, { projectId, workflowId, transitionIds, to: successor });
    }
    await q.workflowSteps.remove(tx, { projectId, stepId });
  });
}

/** Adds a transition. Throws 400 for one that breaks a rule of the graph, 404 for a step that the workflow has not. */
export async function addTransition(
  ctx: Context,
  projectId: string,
  workflowId: string,
  input: NewTransition,
): Promise<Transition> {
  return await edit(ctx, projectId, workflowId, {}, async (tx, graph) => {
    const from = stepOf(graph, input.fromStepId);
    const to = stepOf(graph, input.toStepId);
    assertTransition(graph, { from: from.id, to: to.id, branch: input.branch });
    return await connect(tx, projectId, workflowId, { ...input, fromStepId: from.id, toStepId: to.id });
  });
}

/** Deletes a transition. What only it led to stays, unconnected. */
export async function deleteTransition(
  ctx: Context,
  projectId: string,
  workflowId: string,
  transitionId: string,
): Promise<void> {
  await edit(ctx, projectId, workflowId, {}, async (tx) => {
    if ((await q.workflowSteps.disconnect(tx, { projectId, workflowId, transitionId })) === 0) {
      throw problems.notFound("workflow transition", transitionId);
    }
  });
}

/**
 * Puts a step between the two ends of a transition, which keeps its branch; a CONDITION goes on by its first branch.
 * Throws 400 for TRIGGER and EXIT, and what {@linkcode addStep} throws.
 */
export async function insertStepInto(
  ctx: Context,
  projectId: string,
  workflowId: string,
  transitionId: string,
  input: NewStep,
): Promise<Step> {
  if (input.type === "TRIGGER" || input.type === "EXIT") {
    throw problems.badRequest(`Cannot put a step of type ${input.type} between two others`);
  }
  return await edit(ctx, projectId, workflowId, input, async (tx, graph) => {
    const between = graph.transitions.find(({ id }) => id === transitionId.toLowerCase());
    if (!between) throw problems.notFound("workflow transition", transitionId);
    const step = await insertStep(tx, projectId, workflowId, graph, input);
    await q.workflowSteps.redirect(tx, { projectId, workflowId, transitionIds: [between.id], to: step.id });
    const config = completeConfig(step.type, step.config as Record<string, Json>);
    const branch = step.type === "CONDITION" ? branchesOf({ ...step, config } as GraphStep)[0]! : null;
    await connect(tx, projectId, workflowId, { fromStepId: step.id, toStepId: between.to, branch });
    return step;
  });
}

/** Holds the workflow, and every segment where the change may name one, in the order in which all others hold them. */
async function edit<T>(
  ctx: Context,
  projectId: string,
  workflowId: string,
  { config }: StepInput,
  change: (tx: Context, graph: Graph) => Promise<T>,
): Promise<T> {
  try {
    return await inTransaction(ctx, async (tx) => {
      if (config !== undefined) await q.segments.lockAll(tx, { projectId });
      if (!(await q.workflows.lock(tx, { projectId, workflowId }))) throw problems.workflowNotFound(workflowId);
      const result = await change(tx, await loadGraph(tx, projectId, workflowId));
      await q.workflows.markEdited(tx, { projectId, workflowId });
      return result;
    });
  } catch (error) {
    const isGone = violatedConstraint(error) === "workflow_steps_project_id_template_id_fkey";
    throw isGone ? problems.templateNotFound(templateOf("SEND_EMAIL", { config })!) : error;
  }
}

async function insertStep(
  tx: Context,
  projectId: string,
  workflowId: string,
  graph: Graph,
  input: NewStep,
): Promise<Step> {
  if (graph.steps.length >= MAX_STEPS) {
    throw problems.badRequest(`Cannot add a step: a workflow has at most ${MAX_STEPS}`);
  }
  await assertStep(tx, projectId, input.type, input);
  const step = await q.workflowSteps.insert(tx, {
    projectId,
    workflowId,
    type: input.type,
    name: input.name.trim(),
    position: input.position ?? ORIGIN,
    config: storedConfig(input.type, input.config),
    templateId: templateOf(input.type, input),
  });
  return toStep(step);
}

async function connect(
  tx: Context,
  projectId: string,
  workflowId: string,
  { fromStepId, toStepId, branch = null, priority = 0 }: Partial<NewTransition>,
): Promise<Transition> {
  const ends = { from: fromStepId!, to: toStepId! };
  return toTransition(await q.workflowSteps.connect(tx, { projectId, workflowId, ...ends, branch, priority }));
}
