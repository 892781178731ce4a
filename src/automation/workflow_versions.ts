import type { Context } from "../context.ts";
import type { Graph } from "./workflow_graph.ts";

/** A graph that never changes again. Whoever has seen its id may keep it. */
export interface WorkflowVersion {
  id: string;
  graph: Graph;
}

/**
 * The version of a workflow's graph as it is now; made here when the graph was edited since the last one. Two at once
 * make one. Throws WORKFLOW_NOT_FOUND.
 */
export async function currentVersion(
  tx: Context,
  projectId: string,
  workflowId: string,
): Promise<WorkflowVersion> {
  throw new Error("being written");
}
