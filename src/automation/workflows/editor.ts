// The steps of a workflow: added, changed, deleted. Executions in progress continue by the version that they began with.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import {
  assertStepSize,
  assertStep,
  connect,
  type Editor,
  editGraph,
  insertStep,
  type NewStep,
  stepWithId,
} from "./_graph_edits.ts";
import type { Graph, GraphStep } from "../graph.ts";
import { assertBranchesKept, assertPauses, openEnd } from "./rules.ts";
import {
  completeConfig,
  type StepInput,
  type StepTypeName,
  stepTypeOf,
  storedConfig,
  templateOf,
} from "../steps/mod.ts";
import { type Position, type Step, toStep } from "./records.ts";
import { saveReferences } from "./references.ts";

export type { NewStep } from "./_graph_edits.ts";

/** What a PATCH may change of a step. A config is replaced as a whole. */
export interface StepPatch extends StepInput, Editor {
  type?: StepTypeName | null | undefined;
  name?: string | null | undefined;
  position?: Position | null | undefined;
}

/**
 * Adds a step. With `autoConnect` it follows the one open end of what the trigger leads to, if there is just one and it
 * needs no branch; else it stays unconnected. Throws 422 with every field of the config that is wrong, 400 for another
 * trigger, and 404 for the workflow and the template.
 */
export async function addStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  { autoConnect, ...input }: NewStep & Editor & { autoConnect: boolean },
): Promise<Step> {
  if (stepTypeOf(input).place === "start")
    throw problems.badRequest("Cannot add a trigger: every workflow has exactly one");
  return await editGraph(ctx, projectId, workflowId, input, async (tx, graph) => {
    const step = await insertStep(tx, projectId, workflowId, graph, input);
    const end = autoConnect ? openEnd(graph) : null;
    if (end) await connect(tx, projectId, workflowId, { from: end.id, to: step.id });
    return step;
  });
}

/**
 * Changes the fields given of a step. Throws 422 with every field that is wrong, and 400 for another type, for a config
 * of the trigger, and for a config without a branch that a transition uses. A draft's step that has no template yet may go
 * on without one.
 */
export async function patchStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  stepId: string,
  patch: StepPatch,
): Promise<Step> {
  return await editGraph(ctx, projectId, workflowId, patch, async (tx, graph, { enabled }) => {
    const { id, type } = stepWithId(graph, stepId);
    const row = (await q.workflowSteps.byId(tx, { projectId, stepId: id }))!;
    assertPatch(type, patch);
    const input = { config: patch.config ?? row.config, templateId: templateAfter(row.templateId, patch) };
    await assertStep(tx, projectId, type, input, { isDraft: !enabled && row.templateId === null });
    const config = storedConfig(type, input.config);
    const others = graph.steps.filter((step) => step.id !== id);
    if (patch.config) assertStepSize(others, config);
    const complete = completeConfig(type, config);
    assertFits(graph, { ...row, config: complete });
    if (patch.config)
      await saveReferences(tx, { projectId, workflowId, stepId: id }, { type, config: complete });
    const changed = await q.workflowSteps.update(tx, {
      projectId,
      stepId: id,
      name: patch.name?.trim() ?? row.name,
      position: patch.position ?? row.position!,
      config,
      templateId: templateOf(type, input),
    });
    return toStep(changed);
  });
}

/**
 * Deletes a step with its transitions. With `splice`, whatever led to it leads to the next step from then on. Throws
 * 400 for the trigger; and with `splice` for a CONDITION, where several steps follow it, and where the result would
 * break a rule.
 */
export async function deleteStep(
  ctx: Context,
  projectId: string,
  workflowId: string,
  stepId: string,
  { by, splice }: Editor & { splice: boolean },
): Promise<void> {
  await editGraph(ctx, projectId, workflowId, { by }, async (tx, graph) => {
    const step = stepWithId(graph, stepId);
    if (stepTypeOf(step).place === "start")
      throw problems.badRequest("Cannot delete the trigger: every workflow has exactly one");
    const to = splice ? successorOf(graph, step) : null;
    if (to !== null) {
      const incoming = graph.transitions.filter((transition) => transition.to === step.id);
      assertSpliced(graph, step, to);
      const transitionIds = incoming.map(({ id }) => id);
      await q.workflowSteps.redirect(tx, { projectId, workflowId, transitionIds, to });
    }
    await q.workflowSteps.remove(tx, { projectId, stepId: step.id });
  });
}

function assertPatch(type: string, patch: StepPatch): void {
  if ((patch.type ?? type) !== type) {
    throw problems.badRequest(
      "Cannot change the type of a step",
      "Add a step of the other type, and delete this one",
    );
  }
  if (stepTypeOf({ type }).place === "start" && Object.keys(patch.config ?? {}).length > 0) {
    throw problems.badRequest(
      "Cannot change the config of a TRIGGER",
      "Change triggerType and triggerConfig of the workflow",
    );
  }
}

/** The template of the request, even if it is given in the config; the old one where the request gives none. */
function templateAfter(templateId: string | null, patch: StepPatch): string | null | undefined {
  if (patch.templateId !== undefined) return patch.templateId;
  const inConfig = (patch.config as { templateId?: string } | undefined)?.templateId;
  return inConfig === undefined ? templateId : undefined;
}

/** Throws 400 when the graph with this config of a step would break a rule. */
function assertFits(graph: Graph, step: GraphStep): void {
  assertBranchesKept(graph, step);
  assertPauses({ ...graph, steps: graph.steps.map((other) => (other.id === step.id ? step : other)) });
}

function successorOf(graph: Graph, step: GraphStep): string | null {
  const behind = new Set(graph.transitions.filter(({ from }) => from === step.id).map(({ to }) => to));
  if (!stepTypeOf(step).mustNameBranch && behind.size <= 1) return [...behind][0] ?? null;
  throw problems.badRequest(
    `Cannot splice out a ${step.type}: it branches`,
    "Delete it without splice, and connect the next step yourself",
  );
}

/** Throws 400 when what led to the step would lead to itself, or in a cycle that never waits. */
function assertSpliced(graph: Graph, step: GraphStep, successor: string): void {
  const transitions = graph.transitions
    .filter(({ from }) => from !== step.id)
    .map((transition) => (transition.to === step.id ? { ...transition, to: successor } : transition));
  if (transitions.some(({ from, to }) => from === to)) {
    throw problems.badRequest("Cannot splice this step out: the step before it would lead to itself");
  }
  assertPauses({ steps: graph.steps.filter(({ id }) => id !== step.id), transitions });
}
