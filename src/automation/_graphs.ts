import { type Context, perService } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Graph } from "./workflow_graph.ts";
import { readGraph } from "./workflow_versions.ts";

// Of workflows under way; a graph of a megabyte is rare.
const MAX_GRAPHS = 200;

const cacheOf = perService(() => new Map<string, Graph>());

/** The graphs of these versions, by their ids; those used last are in the memory of this process. */
export async function graphsOf(
  tx: Context,
  versions: { projectId: string; versionId: string }[],
): Promise<Map<string, Graph>> {
  const cache = cacheOf(tx);
  const wanted = new Map(versions.map((version) => [version.versionId, version.projectId]));
  const missing = [...wanted].filter(([id]) => !cache.has(id));
  const rows =
    missing.length === 0
      ? []
      : await q.executionRun.graphs(tx, {
          projectIds: missing.map(([, projectId]) => projectId),
          ids: missing.map(([id]) => id),
        });
  const read = new Map(rows.map((row) => [row.id, readGraph(row.graph)]));
  const graphs = new Map<string, Graph>();
  for (const id of wanted.keys()) {
    const graph = cache.get(id) ?? read.get(id);
    if (!graph) continue;
    graphs.set(id, graph);
    // Young again.
    cache.delete(id);
    cache.set(id, graph);
  }
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_GRAPHS) break;
    cache.delete(oldest);
  }
  return graphs;
}
