// Deliveries from other services that were accepted once: they are repeated when our response was lost on the way.
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";

/** How long a receipt is remembered (guides/webhooks.md). */
export const REMEMBER_RECEIPTS_MS = 7 * 24 * 3_600_000;

const PURGE_LIMIT = 10_000;

/** Claims ids of one source, and returns those that were not claimed before. Undone with the transaction of `tx`. */
export async function claimReceipts(tx: Context, source: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const claimed = await q.webhookReceipts.claim(tx, { source, ids, now: tx.now() });
  return new Set(claimed.map((row) => row.id));
}

/** Forgets receipts that have been remembered long enough. */
export async function purgeReceipts(ctx: Context): Promise<void> {
  const before = new Date(ctx.now().getTime() - REMEMBER_RECEIPTS_MS);
  while ((await q.webhookReceipts.purge(ctx, { before, limit: PURGE_LIMIT })) === PURGE_LIMIT);
}
