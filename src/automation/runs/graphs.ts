import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Graph } from "../workflows/graph.ts";
import { readGraph } from "../workflows/versions.ts";

/** Of workflows under way; in characters of JSON, of which each takes some bytes. */
const MAX_CACHED_CHARS = 16_000_000;

interface Entry {
  graph: Graph;
  chars: number;
}

interface Cache {
  /** Whatever was asked for last is at the end. */
  entries: Map<string, Entry>;
  chars: number;
}

const cacheOf = perService((): Cache => ({ entries: new Map(), chars: 0 }));

/** The graphs of these versions, by their ids; those used last are in the memory of this process. */
export async function graphsOf(
  tx: Context,
  versions: { projectId: string; versionId: string }[],
): Promise<Map<string, Graph>> {
  const cache = cacheOf(tx);
  const wanted = new Map(versions.map((version) => [version.versionId, version.projectId]));
  const found = new Map<string, Entry>();
  for (const id of wanted.keys()) {
    const known = cache.entries.get(id);
    if (known) found.set(id, known);
  }
  const missing = [...wanted].filter(([id]) => !found.has(id));
  if (missing.length > 0) {
    const rows = await q.executionRun.graphs(tx, {
      projectIds: missing.map(([, projectId]) => projectId),
      ids: missing.map(([id]) => id),
    });
    for (const { id, graph } of rows) {
      found.set(id, { graph: readGraph(graph), chars: JSON.stringify(graph).length });
    }
  }
  for (const [id, entry] of found) keep(cache, id, entry);
  return new Map([...found].map(([id, { graph }]) => [id, graph]));
}

/** Makes a graph young again, and forgets the oldest beyond the limit. */
function keep(cache: Cache, id: string, entry: Entry): void {
  forget(cache, id);
  cache.entries.set(id, entry);
  cache.chars += entry.chars;
  for (const oldest of cache.entries.keys()) {
    if (cache.chars <= MAX_CACHED_CHARS) break;
    forget(cache, oldest);
  }
}

function forget(cache: Cache, id: string): void {
  cache.chars -= cache.entries.get(id)?.chars ?? 0;
  cache.entries.delete(id);
}
