// What the graph of a workflow was before: kept whenever it is edited (`editGraph`), the last 100 versions. Executions in progress go
// on by the one that they began with.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { Edit } from "../../edits.ts";
import { problems } from "../../problem/mod.ts";
import { COUNT_UP_TO } from "../../totals.ts";
import { stepTypeOf } from "../steps/mod.ts";
import { type GraphDocument, replaceGraph } from "./graph_document.ts";
import type { GivenGraph } from "./given_graph.ts";
import { type Document, type DocumentTransition, type Position, toDocument } from "./records.ts";
import { readGraph } from "./versions.ts";

/** When a graph became what, by whom, and how many executions go by it now. */
export type ListedGraphVersion = Awaited<ReturnType<Queries["workflowGraphs"]["versions"]>>[number];

/** What a graph was. */
export interface GraphVersion extends Document {
  version: number;
  createdAt: Date;
  createdBy: string | null;
}

/** The versions of a workflow's graph, newest first: that is what it is now. Throws WORKFLOW_NOT_FOUND. */
export async function listGraphVersions(
  ctx: Context,
  projectId: string,
  workflowId: string,
): Promise<ListedGraphVersion[]> {
  const versions = await q.workflowGraphs.versions(ctx, { projectId, workflowId, upTo: COUNT_UP_TO });
  if (versions.length === 0) throw problems.workflowNotFound(workflowId);
  return versions;
}

/** One version. Throws not-found. */
export async function getGraphVersion(
  ctx: Context,
  projectId: string,
  workflowId: string,
  version: number,
): Promise<GraphVersion> {
  const found = await findGraph(ctx, projectId, workflowId, version);
  if (found) return found;
  if (!(await q.workflows.byId(ctx, { projectId, workflowId }))) throw problems.workflowNotFound(workflowId);
  throw problems.notFound("workflow version", `${workflowId}/${version}`);
}

/**
 * Makes a graph what it was, which is a new version: nothing of between is lost. A draft continues without templates that are gone.
 * Throws not-found, 422 if something else that it needs is gone, and 412 where somebody has edited it since.
 */
export async function restoreGraphVersion(
  ctx: Context,
  projectId: string,
  workflowId: string,
  version: number,
  edit: Edit,
): Promise<GraphDocument> {
  return await replaceGraph(ctx, projectId, workflowId, edit, async (tx, isDraft) => {
    const was = await getGraphVersion(tx, projectId, workflowId, version);
    return isDraft ? await withoutGone(tx, projectId, was) : was;
  });
}

/** A graph as an execution knows it; where an editor showed its steps is known as long as that version is. */
export interface ExecutionGraph {
  version: number | null;
  steps: (Omit<Document["steps"][number], "position" | "config"> & {
    config: unknown;
    position: Position | null;
  })[];
  transitions: Omit<DocumentTransition, "priority">[];
}

/** The graph by which an execution goes. Throws not-found. */
export async function executionGraph(
  ctx: Context,
  projectId: string,
  workflowId: string,
  executionId: string,
): Promise<ExecutionGraph> {
  const row = await q.executions.graph(ctx, { projectId, workflowId, executionId });
  if (!row) throw problems.notFound("execution", executionId);
  const { steps, transitions } = readGraph(row.graph);
  const shown = row.version === null ? null : await findGraph(ctx, projectId, workflowId, row.version);
  const positions = new Map(shown?.steps.map((step) => [step.id, step.position]));
  return {
    version: row.version,
    steps: steps.map((step) => ({
      ...step,
      type: step.type as Document["steps"][number]["type"],
      position: positions.get(step.id) ?? null,
    })),
    transitions: transitions.map(({ from, to, branch }) => ({ from, to, branch })),
  };
}

async function findGraph(
  ctx: Context,
  projectId: string,
  workflowId: string,
  version: number,
): Promise<GraphVersion | null> {
  const kept = await q.workflowGraphs.version(ctx, { projectId, workflowId, version });
  if (kept) {
    const { graph, ...row } = kept;
    return { ...row, ...(graph as unknown as Document) };
  }
  const now = await q.workflows.withGraph(ctx, { projectId, workflowId });
  if (now?.graphVersion !== version) return null;
  return { version, createdAt: now.graphEditedAt, createdBy: now.graphEditedBy, ...toDocument(now) };
}

/** A graph without templates that were deleted since. */
async function withoutGone(
  tx: Context,
  projectId: string,
  { steps, transitions }: Document,
): Promise<Pick<GivenGraph, "steps" | "transitions">> {
  const templateIds = steps.flatMap((step) =>
    stepTypeOf(step).sendsTemplate ? (step.templateId ?? []) : [],
  );
  const there = new Set((await q.workflowGraphs.senders(tx, { projectId, templateIds })).map(({ id }) => id));
  return {
    transitions,
    steps: steps.map((step) => ({
      ...step,
      templateId: step.templateId !== null && there.has(step.templateId) ? step.templateId : null,
    })),
  };
}
