// The rows of a project, removed table by table: each batch is a short transaction, sized by how long the last one took.
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { requestsUnderway } from "../traffic.ts";
import type { Batch, Extent, Removed, RemovalStep } from "./_batches.ts";

/** The size of a batch. The first one of a table is small, because it is unknown what depends on its rows. */
const BATCH_MS = 150;
const FIRST_ROWS = 50;
const MOST_ROWS = 2_000;
/** A batch of so few takes long only if the machine is busy: smaller ones would take as long, and never come to an end. */
const LEAST_ROWS = 20;

/** The progress of a job. */
export interface RowPlace {
  step?: string | undefined;
  after?: string | undefined;
}

/** Goes through the tables from a place on, batch by batch. `stopped` says where the time was over. */
export async function removeRows(
  ctx: Context,
  steps: readonly RemovalStep[],
  extent: Extent,
  place: RowPlace,
  until: number,
): Promise<{ stopped: Required<RowPlace> | null; removed: number }> {
  const first = steps.findIndex((step) => step.name === place.step);
  let after = first === -1 ? undefined : place.after;
  let total = 0;
  let batches = 0;
  for (const step of steps.slice(Math.max(0, first))) {
    let next: string | null = after ?? step.first;
    after = undefined;
    for (let limit = FIRST_ROWS; next !== null;) {
      if (batches++ > 0 && performance.now() > until)
        return { stopped: { step: step.name, after: next }, removed: total };
      const startedAt = performance.now();
      const { removed, lastId } = await removeBatch(ctx, step, { extent, after: next, limit });
      const ms = performance.now() - startedAt;
      total += removed;
      next = lastId;
      limit = Math.max(
        LEAST_ROWS,
        Math.min(MOST_ROWS, ms > BATCH_MS ? limit >> 1 : ms < BATCH_MS / 2 ? limit * 2 : limit),
      );
      // While somebody waits for an answer, half of the time is theirs.
      if (next !== null && requestsUnderway(ctx) > 0) await Bun.sleep(ms);
    }
  }
  return { stopped: null, removed: total };
}

async function removeBatch(ctx: Context, step: RemovalStep, batch: Batch): Promise<Removed> {
  if (step.isApart) return await step.remove(ctx, batch);
  return await inTransaction(ctx, async (tx) => {
    await q.removals.readByIndex(tx);
    return await step.remove(tx, batch);
  });
}
