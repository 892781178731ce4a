import { type Context, inTransaction } from "./context.ts";
import { q } from "./db/queries.ts";

const QUERY_CANCELED = "57014";

/** Does `work` in a transaction whose statements may take `ms` each; null when one of them took longer. */
export async function withinBudget<T>(
  ctx: Context,
  ms: number,
  work: (tx: Context) => Promise<T>,
): Promise<T | null> {
  try {
    return await inTransaction(ctx, async (tx) => {
      await q.session.limitTime(tx, { ms: String(ms) });
      return await work(tx);
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === QUERY_CANCELED) return null;
    throw error;
  }
}
