import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Json } from "../../db/types.ts";
import { problems } from "../../problem/mod.ts";
import { completeConfig } from "../steps/mod.ts";
import type { Graph } from "../graph.ts";
import { graphRowsOf } from "./records.ts";

/** A graph that never changes again. It may be cached by its id. */
export interface WorkflowVersion {
  id: string;
  graph: Graph;
}

/**
 * The version of a workflow's graph as it is now; created here when the graph was edited since the last one. Concurrent
 * calls create one. Throws WORKFLOW_NOT_FOUND.
 */
export async function currentVersion(
  tx: Context,
  projectId: string,
  workflowId: string,
): Promise<WorkflowVersion> {
  return (
    (await findVersion(tx, projectId, workflowId)) ??
    (await inTransaction(tx, (held) => makeVersion(held, projectId, workflowId)))
  );
}

/** A graph as `workflow_versions` holds it. */
export function readGraph(stored: Json): Graph {
  return stored as unknown as Graph;
}

/**
 * The graph of a workflow as its rows are now, every default of a config filled in. Throws
 * WORKFLOW_NOT_FOUND.
 */
export async function loadGraph(ctx: Context, projectId: string, workflowId: string): Promise<Graph> {
  const row = await q.workflows.withGraph(ctx, { projectId, workflowId });
  if (!row) throw problems.workflowNotFound(workflowId);
  return toGraph(row);
}

/** The graph of a workflow out of its rows. */
export function toGraph(row: Parameters<typeof graphRowsOf>[0]): Graph {
  const { steps, transitions } = graphRowsOf(row);
  return {
    steps: steps.map(({ id, type, name, config, templateId }) => {
      const complete = completeConfig(type, config as Record<string, Json>);
      return { id, type, name, config: complete, templateId };
    }),
    transitions: transitions.map(({ id, fromStepId, toStepId, branch }) => ({
      id,
      from: fromStepId,
      to: toStepId,
      branch,
    })),
  };
}

async function findVersion(
  ctx: Context,
  projectId: string,
  workflowId: string,
): Promise<WorkflowVersion | null> {
  const found = await q.workflowVersions.current(ctx, { projectId, workflowId });
  if (!found) throw problems.workflowNotFound(workflowId);
  return found.id === null ? null : { id: found.id, graph: readGraph(found.graph) };
}

/** Creating a version and editing both lock the workflow: the second one finds the first one's version. */
async function makeVersion(tx: Context, projectId: string, workflowId: string): Promise<WorkflowVersion> {
  if (!(await q.workflows.lock(tx, { projectId, workflowId }))) throw problems.workflowNotFound(workflowId);
  const found = await findVersion(tx, projectId, workflowId);
  if (found) return found;
  const graph = await loadGraph(tx, projectId, workflowId);
  const { id } = await q.workflowVersions.insert(tx, { projectId, workflowId, graph });
  await q.workflows.setVersion(tx, { projectId, workflowId, versionId: id });
  return { id, graph };
}

const PURGE_LIMIT = 100;
/** Whatever began with a version while it was the current one has been committed by then. */
const SUPERSEDED_MS = 86_400_000;

/** Deletes versions that no execution ever began with, a day after the graph was edited. Returns how many. */
export async function purgeVersions(ctx: Context): Promise<number> {
  const before = new Date(ctx.now().getTime() - SUPERSEDED_MS);
  for (let total = 0; ;) {
    const { looked, gone } = await q.workflowVersions.purge(ctx, { before, limit: PURGE_LIMIT });
    total += gone;
    if (looked < PURGE_LIMIT) return total;
  }
}
