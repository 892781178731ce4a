import { purgeIdempotencyKeys } from "../src/accounts/idempotency.ts";
import type { Context } from "../src/context.ts";

/** Deletes what has expired. A second run deletes nothing. */
export async function purgeExpired(ctx: Context): Promise<void> {
  await purgeIdempotencyKeys(ctx);
}
