import { type Context, inTransaction } from "./context.ts";
import { isTimeout } from "./database_errors.ts";
import { q } from "./db/queries.ts";

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
    if (isTimeout(error)) return null;
    throw error;
  }
}
