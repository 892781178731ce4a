import { purgeIdempotencyKeys } from "../src/accounts/idempotency.ts";
import { purgeReceipts } from "../src/accounts/webhook_receipts.ts";
import type { Context } from "../src/context.ts";
import { purgePlatformMails } from "../src/sending/platform_mail.ts";

/** Deletes what has expired. A second run deletes nothing. */
export async function purgeExpired(ctx: Context): Promise<void> {
  await purgeIdempotencyKeys(ctx);
  await purgeReceipts(ctx);
  await purgePlatformMails(ctx);
}
