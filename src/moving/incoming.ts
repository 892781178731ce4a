// What comes from another service by command, whatever that is called: contacts with their consent, segments, templates,
// campaigns and workflows. Nothing is sent, no event is recorded and nothing is started by it; run again, it brings what is
// not here yet.
import { OPERATOR, recordAudit } from "../accounts/audit.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem/mod.ts";
import {
  type Incoming,
  type IncomingReport,
  type IncomingSource,
  type Omission,
  noCounts,
  sumOf,
} from "./incoming_types.ts";
import { type Journal, START, takeAll, toLine } from "./walk.ts";

const MAX_LEFT_OUT = 200;

/**
 * Brings everything of another service into a project. Throws where the project is being reset, and where it tracks segments:
 * their events would start workflows.
 */
export async function takeIn(
  ctx: Context,
  projectId: string,
  source: IncomingSource,
  { dryRun }: { dryRun: boolean },
): Promise<IncomingReport> {
  await assertOpen(ctx, projectId);
  const notebook = notebookOf(ctx, projectId, dryRun);
  for await (const _ of takeAll(ctx, source, notebook, START));
  const { counts, leftOut } = notebook;
  const report = {
    from: source.name,
    dryRun,
    ...counts,
    leftOut: leftOut.slice(0, MAX_LEFT_OUT),
    leftOutTotal: notebook.leftOutTotal,
  };
  if (!dryRun) await recordAudit(ctx, { ...receivedDeed(projectId, source.name, report), actor: OPERATOR });
  return report;
}

/** Throws a Problem where nothing may come into a project now. */
export async function assertOpen(ctx: Context, projectId: string): Promise<void> {
  const state = await q.projectMoves.state(ctx, { projectId });
  if (state?.isBeingReset) throw problems.moveDuringReset();
  if ((await q.segments.tracked(ctx, { projectId })).length > 0) throw problems.moveWithTracking();
}

/** What is noted when everything has come in. */
export function receivedDeed(
  projectId: string,
  subject: string,
  { contacts, leftOutTotal }: Pick<IncomingReport, "contacts" | "leftOutTotal">,
) {
  const details = { contacts: contacts.created, leftOut: leftOutTotal };
  return { projectId, action: "project.received", subject, details } as const;
}

/** An import that is kept in memory. */
function notebookOf(ctx: Context, projectId: string, dryRun: boolean) {
  const ids = new Map<string, string>();
  const lists: string[] = [];
  const notebook = {
    counts: noCounts(),
    leftOut: [] as Omission[],
    leftOutTotal: 0,
    lists: () => (dryRun ? [] : lists),
    async commit(_from, _to, work) {
      const incoming = await inTransaction(ctx, async (tx) => {
        const chunk: Incoming = { projectId, dryRun, ids, counts: noCounts(), leftOut: [], newIds: [] };
        await work(tx, chunk);
        return chunk;
      });
      notebook.counts = sumOf(notebook.counts, incoming.counts);
      notebook.leftOutTotal += incoming.leftOut.length;
      const room = Math.max(0, MAX_LEFT_OUT - notebook.leftOut.length);
      notebook.leftOut.push(...incoming.leftOut.slice(0, room).map(toLine));
      for (const { theirs, ours, isList } of incoming.newIds) {
        ids.set(theirs, ours);
        if (isList) lists.push(theirs);
      }
    },
  } satisfies Journal & { counts: Incoming["counts"]; leftOut: Omission[]; leftOutTotal: number };
  return notebook;
}
