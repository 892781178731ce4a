// The transitions between the steps of a workflow: added, deleted, and opened for one more step.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { problems } from "../../problem/mod.ts";
import { connect, type Editor, editGraph, insertStep, type NewStep, stepWithId } from "./_graph_edits.ts";
import { assertTransition } from "./rules.ts";
import { branchesOf, completeConfig, stepTypeOf } from "../steps/mod.ts";
import type { Step, Transition } from "./records.ts";

/** A new transition. */
export interface NewTransition extends Editor {
  fromStepId: string;
  toStepId: string;
  branch: string | null;
  priority: number;
}

/** Adds a transition. Throws 400 for one that breaks a rule of the graph, 404 for a step that the workflow has not. */
export async function addTransition(
  ctx: Context,
  projectId: string,
  workflowId: string,
  { by, fromStepId, toStepId, branch, priority }: NewTransition,
): Promise<Transition> {
  return await editGraph(ctx, projectId, workflowId, { by }, async (tx, graph) => {
    const from = stepWithId(graph, fromStepId).id;
    const to = stepWithId(graph, toStepId).id;
    assertTransition(graph, { from, to, branch });
    return await connect(tx, projectId, workflowId, { from, to, branch, priority });
  });
}

/** Deletes a transition. What only it led to stays, unconnected. */
export async function deleteTransition(
  ctx: Context,
  projectId: string,
  workflowId: string,
  transitionId: string,
  editor: Editor = {},
): Promise<void> {
  await editGraph(ctx, projectId, workflowId, editor, async (tx) => {
    const deleted = await q.workflowSteps.disconnect(tx, { projectId, workflowId, transitionId });
    if (deleted === 0) throw problems.notFound("workflow transition", transitionId);
  });
}

/**
 * Puts a step between the two ends of a transition, which keeps its branch; a CONDITION continues by its first branch.
 * Throws 400 for TRIGGER and EXIT, 422 with every field of the config that is wrong, and 404 for the template.
 */
export async function insertIntoTransition(
  ctx: Context,
  projectId: string,
  workflowId: string,
  transitionId: string,
  input: NewStep & Editor,
): Promise<Step> {
  const { type } = input;
  if (stepTypeOf(input).place) {
    throw problems.badRequest(`Cannot put a step of type ${type} between two others`);
  }
  return await editGraph(ctx, projectId, workflowId, input, async (tx, graph) => {
    const between = graph.transitions.find(({ id }) => id === transitionId.toLowerCase());
    if (!between) throw problems.notFound("workflow transition", transitionId);
    const step = await insertStep(tx, projectId, workflowId, graph, input);
    await q.workflowSteps.redirect(tx, { projectId, workflowId, transitionIds: [between.id], to: step.id });
    const branch = stepTypeOf(input).mustNameBranch ? firstBranch(step) : null;
    await connect(tx, projectId, workflowId, { from: step.id, to: between.to, branch });
    return step;
  });
}

function firstBranch(step: Step): string {
  const config = completeConfig(step.type, step.config);
  return branchesOf({ ...step, config })[0]!;
}
