// The graph of a workflow as one document: read, and saved as a whole.
import { type Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { beginEdit, type Edit, editTag } from "../../edits.ts";
import { problems } from "../../problem/mod.ts";
import { completeConfig, stepTypeOf, storedConfig, templateOf } from "../steps/mod.ts";
import { editGraph } from "./_graph_edits.ts";
import { findingsOf, type WorkflowFinding } from "./findings.ts";
import { type GivenGraph, type GivenStep, readGiven } from "./given_graph.ts";
import { type Document, type DocumentTransition, toDocument, toWorkflow } from "./records.ts";
import { loadGraph } from "./versions.ts";

/** The graph of a workflow. */
export interface GraphDocument extends Document {
  /** The tag of this graph: it is saved only if it is still the one that was read. */
  version: string;
  findings: WorkflowFinding[];
}

/** The graph of a workflow, with what is wrong with it. Throws WORKFLOW_NOT_FOUND. */
export async function getGraph(ctx: Context, projectId: string, workflowId: string): Promise<GraphDocument> {
  const { workflow, ...document } = await read(ctx, projectId, workflowId);
  const graph = await loadGraph(ctx, projectId, workflowId);
  return { ...document, findings: await findingsOf(ctx, projectId, { ...workflow, graph }) };
}

/**
 * Saves a graph as a whole: what is not in it goes, what is new comes. Executions in progress continue by the version that they
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
  const saved = { ...given, steps };
  return await replaceGraph(ctx, projectId, workflowId, { ...edit, seen: given.version }, async () => saved);
}

/** Who replaces a graph, and the version of it that they have seen, if they must have. */
interface Replacement extends Edit {
  seen?: string;
}

/**
 * Makes the graph what `choose` answers, for a draft or an enabled workflow, while it is held. Throws 412 where somebody has changed
 * it since it was seen, and 422 with everything that is wrong with the new one.
 */
export async function replaceGraph(
  ctx: Context,
  projectId: string,
  workflowId: string,
  { seen, ...edit }: Replacement,
  choose: (tx: Context, isDraft: boolean) => Promise<Pick<GivenGraph, "steps" | "transitions">>,
): Promise<GraphDocument> {
  const { by } = edit;
  // It may name segments, whatever steps it has: they are held.
  return await editGraph(ctx, projectId, workflowId, { by, config: {} }, async (tx, before, { enabled }) => {
    const thing = { kind: "workflow", projectId, id: workflowId } as const;
    const current = async () => taggedOf(await read(tx, projectId, workflowId));
    if (seen !== undefined) await beginEdit(tx, { by, ifMatch: seen, isRequired: true }, thing, current);
    if (edit.ifMatch !== undefined) await beginEdit(tx, edit, thing, current);
    const given = await choose(tx, !enabled);
    const { errors, transitions } = await readGiven(tx, projectId, given, { before, isDraft: !enabled });
    if (errors.length > 0) throw problems.invalid(errors);
    await write(tx, projectId, workflowId, given.steps, transitions);
    return await getGraph(tx, projectId, workflowId);
  });
}

async function read(ctx: Context, projectId: string, workflowId: string) {
  const row = await q.workflows.withGraph(ctx, { projectId, workflowId });
  if (!row) throw problems.workflowNotFound(workflowId);
  const document = toDocument(row);
  return { workflow: toWorkflow(row), version: editTag(document), ...document };
}

function taggedOf({ steps, transitions }: Document) {
  return { steps, transitions };
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
