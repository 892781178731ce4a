// Counts are written beside the fact, as deltas that nobody waits for. Every few seconds the deltas are added to the
// counters, so that reading stays quick; reading sums up both.
import { type Context, inTransaction } from "./context.ts";
import { q } from "./db/queries.ts";

/** Adds up to `limit` deltas to the counters, and returns how many they were. */
export type RollUp = (tx: Context, batch: { limit: number }) => Promise<number>;

/** A batch is a commit of its own, of some 50 ms. */
const BATCH = 10_000;

/**
 * Rolls up what there is, batch by batch, and returns whether there was anything. One process rolls up at a time: while
 * another one does there is nothing to do.
 */
export async function rollUpAll(ctx: Context, rollUp: RollUp): Promise<boolean> {
  let deltas = 0;
  for (;;) {
    const count = await inTransaction(ctx, async (tx) =>
      (await q.rollup.hold(tx)).isMine ? await rollUp(tx, { limit: BATCH }) : 0,
    );
    deltas += count;
    if (count < BATCH) return deltas > 0;
  }
}
