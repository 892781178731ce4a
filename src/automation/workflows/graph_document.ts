// The graph of a workflow as one document: read, and saved as a whole.
import { type Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { beginEdit, type Edit, editTag } from "../../edits.ts";
import { type FieldError, Problem, problems } from "../../problem.ts";
import type { Graph } from "../graph.ts";
import {
  completeConfig,
  stepErrors,
  type StepInput,
  type StepTypeName,
  stepTypeOf,
  storedConfig,
  templateOf,
} from "../steps/mod.ts";
import { assertAllSizes, editGraph, MAX_STEPS } from "./_graph_edits.ts";
import { findingsOf, type WorkflowFinding } from "./findings.ts";
import { graphRowsOf, type Position, type Step, toStep, toWorkflow, type Workflow } from "./records.ts";
import { assertTransition } from "./rules.ts";
import { loadGraph } from "./versions.ts";

/** A way from one step to another. */
export interface DocumentTransition {
  from: string;
  to: string;
  branch: string | null;
  priority: number;
}

/** The graph of a workflow. */
export interface GraphDocument {
  /** The tag of this graph: it is saved only where it is still the one that was read. */
  version: string;
  steps: Omit<Step, "workflowId">[];
  transitions: DocumentTransition[];
  findings: WorkflowFinding[];
}

/** A step to be saved. One whose id is not known yet is new. */
export interface GivenStep extends StepInput {
  id: string;
  type: StepTypeName;
  name: string;
  position?: Position | null | undefined;
}

/** A graph to be saved. */
export interface GivenGraph {
  version: string;
  steps: GivenStep[];
  transitions: {
    from: string;
    to: string;
    branch?: string | null | undefined;
    priority?: number | null | undefined;
  }[];
}

/** The graph of a workflow, with what is wrong with it. Throws WORKFLOW_NOT_FOUND. */
export async function getGraph(ctx: Context, projectId: string, workflowId: string): Promise<GraphDocument> {
  const { workflow, ...document } = await read(ctx, projectId, workflowId);
  const graph = await loadGraph(ctx, projectId, workflowId);
  return { ...document, findings: await findingsOf(ctx, projectId, { ...workflow, graph }) };
}

/**
 * Saves a graph as a whole: what is not in it goes, what is new comes. Executions under way go on by the version that they
 * began with. Throws 412 where somebody has changed it since it was read, and 422 with everything that is wrong with it.
 */
export async function saveGraph(
  ctx: Context,
  projectId: string,
  workflowId: string,
  given: GivenGraph,
  edit: Edit,
): Promise<GraphDocument> {
  const steps = given.steps.map((step) => ({ ...step, id: step.id.toLowerCase() }));
  // It may name segments, whatever steps it has: they are held.
  return await editGraph(ctx, projectId, workflowId, { config: {} }, async (tx, graph) => {
    const thing = { kind: "workflow", projectId, id: workflowId } as const;
    const current = async () => taggedOf(await read(tx, projectId, workflowId));
    await beginEdit(tx, { by: edit.by, ifMatch: given.version, isRequired: true }, thing, current);
    if (edit.ifMatch !== undefined) await beginEdit(tx, edit, thing, current);
    assertAllSizes(steps.map(({ type, config }) => storedConfig(type, config)));
    const errors = [
      ...identityErrors(graph, steps),
      ...steps.flatMap((step, n) => stepErrors(step.type, step).map((error) => under(`steps.${n}`, error))),
    ];
    if (errors.length > 0) throw problems.invalid(errors);
    const next = graphOf(steps);
    await assertReferences(tx, projectId, next);
    const transitions = transitionsOf(next, given.transitions);
    await write(tx, projectId, workflowId, steps, transitions);
    return await getGraph(tx, projectId, workflowId);
  });
}

async function read(ctx: Context, projectId: string, workflowId: string) {
  const row = await q.workflows.withGraph(ctx, { projectId, workflowId });
  if (!row) throw problems.workflowNotFound(workflowId);
  const { steps: _steps, transitions: _transitions, ...workflow } = row;
  const rows = graphRowsOf(row);
  const document = {
    steps: rows.steps.map((step) => {
      const { workflowId: _, ...shown } = toStep(step);
      return shown;
    }),
    transitions: rows.transitions.map(({ fromStepId: from, toStepId: to, branch, priority }) => ({
      from,
      to,
      branch,
      priority,
    })),
  };
  return { workflow: toWorkflow(workflow) as Workflow, version: editTag(document), ...document };
}

function taggedOf({ steps, transitions }: Pick<GraphDocument, "steps" | "transitions">) {
  return { steps, transitions };
}

/** What is wrong with the steps among each other. */
function identityErrors(graph: Graph, steps: GivenStep[]): FieldError[] {
  const known = new Map(graph.steps.map((step) => [step.id, step.type]));
  const seen = new Set<string>();
  const wrong = (n: number, field: string, message: string): FieldError[] => [
    { field: `steps.${n}.${field}`, code: "custom", message },
  ];
  const errors = steps.flatMap(({ id, type }, n): FieldError[] => {
    if (seen.has(id)) return wrong(n, "id", "Another step has this id");
    seen.add(id);
    const before = known.get(id);
    if (before !== undefined && before !== type)
      return wrong(n, "type", `This step is a ${before}: its type stays`);
    const isStart = stepTypeOf({ type }).place === "start";
    if (isStart && before === undefined) return wrong(n, "type", "Every workflow has exactly one trigger");
    return [];
  });
  const trigger = graph.steps.find((step) => stepTypeOf(step).place === "start")!;
  if (!seen.has(trigger.id)) {
    errors.push({
      field: "steps",
      code: "custom",
      message: `The trigger is missing: its id is ${trigger.id}`,
    });
  }
  if (steps.length > MAX_STEPS) {
    errors.push({ field: "steps", code: "too_big", message: `A workflow has at most ${MAX_STEPS} steps` });
  }
  return errors;
}

function graphOf(steps: GivenStep[]): Graph {
  return {
    steps: steps.map(({ id, type, name, config, templateId }) => ({
      id,
      type,
      name,
      config: completeConfig(type, storedConfig(type, config)),
      templateId: templateOf(type, { config, templateId }),
    })),
    transitions: [],
  };
}

/** Throws 422 for segments and templates that the project has not. */
async function assertReferences(tx: Context, projectId: string, { steps }: Graph): Promise<void> {
  const errors: FieldError[] = [];
  const segments = await q.segments.conditions(tx, { projectId });
  const templateIds = [...new Set(steps.flatMap(({ templateId }) => templateId ?? []))];
  const known = new Set(
    (await q.workflowGraphs.senders(tx, { projectId, templateIds })).map((template) => template.id),
  );
  for (const [n, step] of steps.entries()) {
    const wrong = (await stepTypeOf(step).segmentFaults?.(step.config, async () => segments)) ?? [];
    errors.push(...wrong.map((error) => under(`steps.${n}`, error)));
    if (step.templateId === null || known.has(step.templateId.toLowerCase())) continue;
    const message = "No template of the project has this id";
    errors.push({ field: `steps.${n}.templateId`, code: "custom", message, received: step.templateId });
  }
  if (errors.length > 0) throw problems.invalid(errors);
}

/** The transitions, each by the rules of the graph with those before it. Throws 422 with all that break one. */
function transitionsOf(graph: Graph, given: GivenGraph["transitions"]): DocumentTransition[] {
  const ids = new Set(graph.steps.map(({ id }) => id));
  const errors: FieldError[] = [];
  const kept: DocumentTransition[] = [];
  for (const [n, { from, to, branch = null, priority }] of given.entries()) {
    const transition = { from: from.toLowerCase(), to: to.toLowerCase(), branch };
    const missing = (["from", "to"] as const).filter((end) => !ids.has(transition[end]));
    for (const end of missing) {
      errors.push({ field: `transitions.${n}.${end}`, code: "custom", message: "There is no such step" });
    }
    if (missing.length > 0) continue;
    try {
      assertTransition(graph, transition);
      graph.transitions.push({ ...transition, id: String(n) });
      kept.push({ ...transition, priority: priority ?? 0 });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      errors.push({ field: `transitions.${n}`, code: "custom", message: error.message });
    }
  }
  if (errors.length > 0) throw problems.invalid(errors);
  return kept;
}

async function write(
  tx: Context,
  projectId: string,
  workflowId: string,
  steps: GivenStep[],
  transitions: DocumentTransition[],
): Promise<void> {
  const rows = steps.map(({ id, type, name, position, config, templateId }, n) => ({
    n,
    id,
    type,
    name: name.trim(),
    position: { x: position?.x ?? 0, y: position?.y ?? 0 },
    config: storedConfig(type, config),
    template_id: templateOf(type, { config, templateId }),
  }));
  const saved = new Set(
    (await q.workflowGraphs.saveSteps(tx, { projectId, workflowId, rows })).map((step) => step.id),
  );
  const taken = steps.flatMap(({ id }, n) => (saved.has(id) ? [] : [n]));
  if (taken.length > 0) {
    const message = "A step of another workflow has this id";
    throw problems.invalid(taken.map((n) => ({ field: `steps.${n}.id`, code: "custom", message })));
  }
  await q.workflowGraphs.saveTransitions(tx, {
    projectId,
    workflowId,
    rows: transitions.map((transition, n) => ({ n, ...transition })),
  });
  const references = steps.flatMap(({ id, type, config }) =>
    (stepTypeOf({ type }).refersTo?.(completeConfig(type, storedConfig(type, config))) ?? []).map(
      ({ kind, name }) => ({ kind, name, step_id: id }),
    ),
  );
  await q.workflowGraphs.saveReferences(tx, { projectId, workflowId, rows: references });
}

function under(place: string, error: FieldError): FieldError {
  return { ...error, field: `${place}.${error.field}` };
}
