import { type Context, inTransaction, newId } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";
import { addJobs } from "../jobs.ts";
import { Problem, problems } from "../problem/mod.ts";
import { withinBudget } from "../time_budget.ts";
import { deleteContacts } from "./contacts/deletion.ts";
import {
  type ContactJobState,
  failureReason,
  MAX_JOB_ERRORS,
  progressOf,
  SLICE_MS,
} from "./contacts/jobs.ts";
import { changeSubscriptions } from "./contacts/mod.ts";
import { addContacts, assertStatic, removeContacts } from "./segments/members.ts";
import { compileSelection, type Selection } from "./selection.ts";

/** What a bulk job does to each contact. */
export type BulkOperation = "subscribe" | "unsubscribe" | "delete" | "add" | "remove";

/** The contacts of a bulk job: these, or those that match a filter. */
export type BulkSelection = { contactIds: string[] } | { filter: Selection; excludeIds: string[] };

/** A contact that nothing could be done to, and why. */
export interface BulkError {
  contactId: string;
  error: string;
}

/** How a bulk job stands (guides/contacts.md). */
export interface BulkReport {
  id: string;
  state: ContactJobState;
  progress: number;
  result?: {
    operation: BulkOperation;
    totalRequested: number;
    successCount: number;
    unchangedCount: number;
    failureCount: number;
    errors: BulkError[];
  };
  failedReason?: string;
  createdAt: Date;
  finishedAt: Date | null;
}

type HeldJob = NonNullable<Awaited<ReturnType<Queries["bulkJobs"]["hold"]>>>;

const COUNT_BUDGET_MS = 10_000;
// Contacts of one transaction. Deleting one takes its events and memberships along.
const CHUNK_CONTACTS: Record<BulkOperation, number> = {
  subscribe: 1_000,
  unsubscribe: 1_000,
  delete: 500,
  add: 1_000,
  remove: 1_000,
};

/**
 * Enqueues work on many contacts. Each id counts once. `segmentId`: the static segment that they are added to or removed
 * from. Throws SEGMENT_NOT_FOUND, 400 for a dynamic one, and 422 for a fault in the condition.
 */
export async function createBulkJob(
  ctx: Context,
  projectId: string,
  operation: BulkOperation,
  selection: BulkSelection,
  segmentId: string | null = null,
): Promise<string> {
  const jobId = newId(ctx);
  const isQuery = "filter" in selection;
  const contactIds = isQuery ? null : sortedIds(selection.contactIds);
  const excludeIds = isQuery ? sortedIds(selection.excludeIds) : [];
  const filter = isQuery ? selection.filter : null;
  await inTransaction(ctx, async (tx) => {
    if (segmentId !== null) await assertStatic(tx, projectId, segmentId);
    if (filter) await compileSelection(tx, projectId, filter, "filter.condition");
    await q.bulkJobs.insert(tx, { projectId, jobId, operation, contactIds, filter, excludeIds, segmentId });
    await addJobs(tx, "run_bulk_job", [{ projectId, jobId }]);
  });
  return jobId;
}

/** How a bulk job of the project stands. Throws not-found. */
export async function getBulkJob(ctx: Context, projectId: string, jobId: string): Promise<BulkReport> {
  const row = await q.bulkJobs.byId(ctx, { projectId, jobId });
  if (!row) throw problems.notFound("bulk job", jobId);
  const { id, state, operation, successCount, unchangedCount, failureCount, createdAt, finishedAt } = row;
  const done = successCount + unchangedCount + failureCount;
  const hasResult = state === "completed" || (state === "failed" && done > 0);
  return {
    id,
    state,
    progress: progressOf(state, done, row.contactCount),
    ...(hasResult && {
      result: {
        operation,
        // Of a query: those that existed when their turn came.
        totalRequested: done,
        successCount,
        unchangedCount,
        failureCount,
        errors: row.errors as unknown as BulkError[],
      },
    }),
    ...(row.failedReason !== null && { failedReason: row.failedReason }),
    createdAt,
    finishedAt,
  };
}

/**
 * Works through the contacts in the order of their ids, a chunk and the place where it ends in one transaction: a
 * second run continues where the first one ended.
 */
export async function runBulkJob(
  ctx: Context,
  projectId: string,
  jobId: string,
  { sliceMs = SLICE_MS } = {},
): Promise<void> {
  const begun = await q.bulkJobs.begin(ctx, { projectId, jobId });
  if (!begun) return;
  try {
    if (begun.contactCount === null) {
      const contactCount = begun.contactIds?.length ?? (await countContacts(ctx, projectId, jobId, begun));
      await q.bulkJobs.counted(ctx, { projectId, jobId, contactCount });
    }
    const until = performance.now() + sliceMs;
    while (await doChunk(ctx, projectId, jobId)) {
      if (performance.now() > until) return await addJobs(ctx, "run_bulk_job", [{ projectId, jobId }]);
    }
  } catch (error) {
    const reason = failureReason(error);
    if (reason !== null) await q.bulkJobs.fail(ctx, { projectId, jobId, reason });
    if (!(error instanceof Problem)) throw error;
  }
}

/** Does the next chunk. False when there is none, and the job is done. */
async function doChunk(ctx: Context, projectId: string, jobId: string): Promise<boolean> {
  return await inTransaction(ctx, async (tx) => {
    const job = await q.bulkJobs.hold(tx, { projectId, jobId });
    if (!job) return false;
    const contactIds = await nextIds(tx, projectId, jobId, job);
    if (contactIds.length === 0) {
      await q.bulkJobs.complete(tx, { projectId, jobId });
      return false;
    }
    const { changed, unchanged } = await apply(tx, projectId, job, contactIds);
    const known = new Set([...changed, ...unchanged]);
    const unknown = contactIds.filter((id) => !known.has(id));
    // What a query found and is gone a moment later was not asked for by name.
    const missing = job.contactIds ? unknown : [];
    await q.bulkJobs.advance(tx, {
      projectId,
      jobId,
      afterId: contactIds.at(-1)!,
      changed: changed.length,
      unchanged: unchanged.length,
      failed: missing.length,
      errors: missing
        .slice(0, Math.max(0, MAX_JOB_ERRORS - job.failureCount))
        .map((contactId): BulkError => ({ contactId, error: "There is no such contact" })),
    });
    return true;
  });
}

async function nextIds(tx: Context, projectId: string, jobId: string, job: HeldJob): Promise<string[]> {
  const { operation, contactIds, excludeIds, afterId } = job;
  const limit = CHUNK_CONTACTS[operation];
  if (contactIds) return contactIds.filter((id) => afterId === null || id > afterId).slice(0, limit);
  const selected = await compileSelection(tx, projectId, job.filter as Selection);
  const filter = selected(tx);
  const rows = await q.bulkJobs.matching(tx, { projectId, jobId, afterId, excludeIds, limit, filter });
  return rows.map((row) => row.id);
}

async function apply(
  tx: Context,
  projectId: string,
  { operation, segmentId }: Pick<HeldJob, "operation" | "segmentId">,
  contactIds: string[],
): Promise<{ changed: string[]; unchanged: string[] }> {
  if (operation === "delete") {
    return { changed: await deleteContacts(tx, projectId, contactIds), unchanged: [] };
  }
  if (operation === "add" || operation === "remove") {
    const move = operation === "add" ? addContacts : removeContacts;
    const changed = await move(tx, projectId, segmentId!, contactIds);
    const done = new Set(changed);
    const left = contactIds.filter((id) => !done.has(id));
    const unchanged = (await q.bulkJobs.existing(tx, { projectId, contactIds: left })).map(({ id }) => id);
    return { changed, unchanged };
  }
  return await changeSubscriptions(tx, projectId, contactIds, operation === "subscribe");
}

/** How many contacts there will be to work on, for the progress; 0 when it takes too long to find out. */
async function countContacts(
  ctx: Context,
  projectId: string,
  jobId: string,
  { filter, excludeIds }: { filter: unknown; excludeIds: string[] },
): Promise<number> {
  const counted = await withinBudget(ctx, COUNT_BUDGET_MS, async (tx) => {
    const selected = await compileSelection(tx, projectId, filter as Selection);
    return await q.bulkJobs.countMatching(tx, { projectId, jobId, excludeIds, filter: selected(tx) });
  });
  return counted?.total ?? 0;
}

/** In the order that Postgres has them in, each once. */
function sortedIds(ids: string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))].sort();
}
