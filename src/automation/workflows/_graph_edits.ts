// What all changes of a workflow's graph have in common.
import { knownSources } from "../../audience/conditions/sources.ts";
import { type Context, inTransaction } from "../../context.ts";
import { violatedConstraint } from "../../database_errors.ts";
import { q } from "../../db/queries.ts";
import { NOBODY } from "../../edits.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import type { Graph, GraphStep } from "../graph.ts";
import {
  completeConfig,
  givenTemplate,
  stepErrors,
  type StepInput,
  type StepTypeName,
  stepTypeOf,
  storedConfig,
  templateOf,
} from "../steps/mod.ts";
import { saveReferences } from "./references.ts";
import {
  type Document,
  type Position,
  type Step,
  toDocument,
  toStep,
  toTransition,
  type Transition,
} from "./records.ts";
import { toGraph } from "./versions.ts";

/** A new step. */
export interface NewStep extends StepInput {
  type: StepTypeName;
  name: string;
  position?: Position | null | undefined;
}

/** How many steps a workflow may have. */
export const MAX_STEPS = 500;
/** Of all configs of a workflow together. Versions of it are kept for ever, and those in progress in memory. */
const MAX_CONFIGS_BYTES = 1_000_000;
const ORIGIN: Position = { x: 0, y: 0 };

/** By whom a graph is changed. */
export interface Editor {
  /** An address, or which key; left out: nobody in particular. */
  by?: string | undefined;
}

/** By whom a graph is changed, and the step that the change is about, if any. */
type EditInput = StepInput & Editor & { type?: StepTypeName | null | undefined };

/** A workflow whose graph is being changed. */
interface EditedWorkflow {
  enabled: boolean;
}

/**
 * Does `change` while the workflow is locked, so that concurrent changes cannot together break a rule that each keeps, and
 * keeps what it was and who made the change, where the graph is another one afterwards; what the same editor adds within a minute
 * is one version. Throws WORKFLOW_NOT_FOUND, and TEMPLATE_NOT_FOUND for that of the input.
 */
export async function editGraph<T>(
  ctx: Context,
  projectId: string,
  workflowId: string,
  input: EditInput,
  change: (tx: Context, graph: Graph, workflow: EditedWorkflow) => Promise<T>,
): Promise<T> {
  try {
    return await inTransaction(ctx, async (tx) => {
      // Segments that a step begins to name cannot be deleted; they are locked before a workflow, as everywhere.
      if (mayNameSegments(input)) await q.segments.lockAll(tx, { projectId });
      const workflow = await q.workflows.lock(tx, { projectId, workflowId });
      if (!workflow) throw problems.workflowNotFound(workflowId);
      await q.edits.actAs(tx, { editor: input.by ?? NOBODY.by });
      const before = await q.workflows.withGraph(tx, { projectId, workflowId });
      const result = await change(tx, toGraph(before!), workflow);
      const after = await q.workflows.withGraph(tx, { projectId, workflowId });
      if (!Bun.deepEquals(before, after)) {
        const graph = toDocument(before!);
        // What is built step by step is one version: it holds all that was there before.
        const isNext =
          !holds(toDocument(after!), graph) ||
          !(await q.workflowGraphs.beingBuilt(tx, { projectId, workflowId })).isSo;
        if (isNext) await q.workflowGraphs.keep(tx, { projectId, workflowId, graph });
        await q.workflows.markEdited(tx, { projectId, workflowId, isNext });
      }
      return result;
    });
  } catch (error) {
    const isGone = violatedConstraint(error) === "workflow_steps_project_id_template_id_fkey";
    throw isGone ? problems.templateNotFound(givenTemplate(input) ?? "") : error;
  }
}

/** Whether a graph has everything that another one has, as it is there. */
function holds(graph: Document, other: Document): boolean {
  const [steps, transitions] = [graph.steps, graph.transitions].map(
    (parts) => new Set(parts.map((part) => JSON.stringify(part))),
  );
  return (
    other.steps.every((step) => steps!.has(JSON.stringify(step))) &&
    other.transitions.every((transition) => transitions!.has(JSON.stringify(transition)))
  );
}

function mayNameSegments({ type, config }: EditInput): boolean {
  // A change of a step need not name its type.
  return config !== undefined && (!type || stepTypeOf({ type }).mayNameSegments === true);
}

/** Throws 422 with all that is wrong with a step; one of a draft may lack a template. */
export async function assertStep(
  tx: Context,
  projectId: string,
  type: string,
  input: StepInput,
  draft = { isDraft: false },
): Promise<void> {
  const errors = stepErrors(type, input, draft);
  if (errors.length > 0) throw problems.invalid(errors);
  const config = completeConfig(type, storedConfig(type, input.config));
  const { referenceFaults } = stepTypeOf({ type });
  if (!referenceFaults) return;
  const segments = await q.segments.conditions(tx, { projectId });
  const wrong = referenceFaults(config, { segments, sources: await knownSources(tx, projectId, config) });
  if (wrong.length > 0) throw problems.invalid(wrong);
}

/** Throws 422 when the config of a step is too large together with those of all others. */
export function assertStepSize(others: GraphStep[], config: unknown): void {
  const errors = sizeErrors("config", [...others.map((step) => step.config), config]);
  if (errors.length > 0) throw problems.invalid(errors);
}

/** Whether the configs of all steps are too large together. */
export function sizeErrors(field: string, configs: unknown[]): FieldError[] {
  const bytes = configs.map((each) => Buffer.byteLength(JSON.stringify(each)));
  if (bytes.reduce((sum, each) => sum + each, 0) <= MAX_CONFIGS_BYTES) return [];
  const message = `The configs of all steps of a workflow have at most ${MAX_CONFIGS_BYTES / 1000} KB as JSON together`;
  return [{ field, code: "too_big", message }];
}

/** Adds a step that is not connected yet. */
export async function insertStep(
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
  const config = storedConfig(input.type, input.config);
  assertStepSize(graph.steps, config);
  const row = await q.workflowSteps.insert(tx, {
    projectId,
    workflowId,
    type: input.type,
    name: input.name.trim(),
    position: input.position ?? ORIGIN,
    config,
    templateId: templateOf(input.type, input),
  });
  await saveReferences(
    tx,
    { projectId, workflowId, stepId: row.id },
    { type: input.type, config: completeConfig(input.type, config) },
  );
  return toStep(row);
}

/** Adds a transition that keeps to the rules. */
export async function connect(
  tx: Context,
  projectId: string,
  workflowId: string,
  ends: { from: string; to: string; branch?: string | null; priority?: number },
): Promise<Transition> {
  const { from, to, branch = null, priority = 0 } = ends;
  const row = await q.workflowSteps.connect(tx, { projectId, workflowId, from, to, branch, priority });
  return toTransition(row);
}

/** A step of the graph. Throws RESOURCE_NOT_FOUND, also for one of another workflow. */
export function stepWithId(graph: Graph, stepId: string): GraphStep {
  const step = graph.steps.find(({ id }) => id === stepId.toLowerCase());
  if (!step) throw problems.notFound("workflow step", stepId);
  return step;
}
