import { createHash } from "node:crypto";
import { type Context, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Json } from "../../db/types.ts";
import { graphsOf } from "../runs/graphs.ts";
import type { ExecutionKey, ExecutionStatus } from "../runs/run.ts";
import { triggerOf, wayOut } from "../graph.ts";
import { currentVersion, type WorkflowVersion } from "../workflows/versions.ts";

/** A chain of workflows that start each other by their events is stopped here (guides/workflows.md). */
export const MAX_DEPTH = 20;

/** Why a chain continues no further. */
export const TOO_DEEP = `Stopped: ${MAX_DEPTH} workflows have led to this one, each by an event of the one before. Look for workflows that start each other in a circle`;

/** A contact that is to go through a workflow. */
export interface Claim {
  projectId: string;
  workflowId: string;
  /** As it was read; null when the graph was edited since its last version. */
  versionId: string | null;
  allowReentry: boolean;
  contactId: string;
  /** The event that starts it; its data becomes `event` in the context. */
  eventId?: string;
  context?: Record<string, unknown> | undefined;
  depth: number;
  /** The content of the first history entry. */
  history?: Json;
}

/** An execution just made. One that leads nowhere has ended already. */
export interface Started extends ExecutionKey {
  status: ExecutionStatus;
}

/**
 * Creates an execution for each claim that the re-entry rule allows, oldest first, in one statement. The triggers
 * `executions_count_added` and `executions_count_removed` keep the number of executions of each workflow.
 */
export async function startRuns(tx: Context, claims: Claim[]): Promise<Started[]> {
  if (claims.length === 0) return [];
  const versions = await versionsOf(tx, claims);
  const rows = claims.map((claim, n) => rowOf(tx, claim, versions.get(claim.workflowId)!, n));
  return await q.executionRun.startMany(tx, { rows, now: tx.now() });
}

function rowOf(tx: Context, claim: Claim, { id: versionId, graph }: WorkflowVersion, n: number) {
  const trigger = triggerOf(graph);
  const first = wayOut(graph, trigger.id);
  const isTooDeep = claim.depth >= MAX_DEPTH;
  return {
    n,
    project_id: claim.projectId,
    id: idOf(tx, claim),
    workflow_id: claim.workflowId,
    version_id: versionId,
    contact_id: claim.contactId,
    status: (isTooDeep ? "FAILED" : first ? "RUNNING" : "COMPLETED") as ExecutionStatus,
    trigger_id: trigger.id,
    step_id: first?.to,
    exit_reason: isTooDeep ? TOO_DEEP : undefined,
    is_only: !claim.allowReentry,
    depth: claim.depth,
    context: claim.context,
    event_id: claim.eventId,
    entry_id: newId(tx),
    history: claim.history ?? undefined,
  };
}

/** Matching the same event again leads to the id of the execution it has started. It has the time of the event. */
function idOf(tx: Context, { eventId, workflowId }: Claim): string {
  if (eventId === undefined) return newId(tx);
  const hash = createHash("sha256").update(`${eventId} ${workflowId}`).digest("hex");
  const time = eventId.slice(0, 13);
  return `${time}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}

/** The versions that executions begin with, by workflow. */
async function versionsOf(tx: Context, claims: Claim[]): Promise<Map<string, WorkflowVersion>> {
  const known = claims.filter((claim): claim is Claim & { versionId: string } => claim.versionId !== null);
  const graphs = await graphsOf(tx, known);
  const versions = new Map<string, WorkflowVersion>();
  for (const { projectId, workflowId, versionId } of claims) {
    if (versions.has(workflowId)) continue;
    const graph = graphs.get(versionId ?? "");
    const version = graph ? { id: versionId!, graph } : await currentVersion(tx, projectId, workflowId);
    versions.set(workflowId, version);
  }
  return versions;
}
