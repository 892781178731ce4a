import type { Context } from "../src/context.ts";
import { settleDoubts as settle } from "../src/sending/delivery/recovery.ts";

/** Settles mails that have been in doubt for long enough. A second run finds none. */
export async function settleDoubts(ctx: Context): Promise<void> {
  await settle(ctx);
}
