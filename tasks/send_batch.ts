import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { sendBatch as send } from "../src/sending/campaigns/send.ts";

/** Sends the mails of one range of a campaign. A second run sends what the first one left. */
export async function sendBatch(ctx: Context, batch: Jobs["send_batch"]): Promise<void> {
  await send(ctx, batch);
}
