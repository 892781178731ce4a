import { createCache } from "../../cache.ts";
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Graph } from "../graph.ts";

/** Of active workflows; in characters of JSON, each of which takes a few bytes. */
const MAX_CACHED_CHARS = 16_000_000;
const MAX_CACHED_GRAPHS = 10_000;

const cacheOf = perService(() =>
  createCache<Graph>({ maxEntries: MAX_CACHED_GRAPHS, maxBytes: MAX_CACHED_CHARS }),
);

/** The graphs of these versions, by their ids; those used last are in the memory of this process. */
export async function graphsOf(
  tx: Context,
  versions: { projectId: string; versionId: string }[],
): Promise<Map<string, Graph>> {
  const cache = cacheOf(tx);
  const wanted = new Map(versions.map((version) => [version.versionId, version.projectId]));
  const found = new Map<string, Graph>();
  for (const id of wanted.keys()) {
    const known = cache.get(id);
    if (known) found.set(id, known);
  }
  const missing = [...wanted].filter(([id]) => !found.has(id));
  if (missing.length === 0) return found;
  const rows = await q.executionRun.graphs(tx, {
    projectIds: missing.map(([, projectId]) => projectId),
    ids: missing.map(([id]) => id),
  });
  for (const row of rows) {
    const graph = row.graph as unknown as Graph;
    found.set(row.id, graph);
    cache.set(row.id, graph, JSON.stringify(row.graph).length);
  }
  return found;
}
