import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { sendSingle } from "../src/sending/delivery/mod.ts";

/** Sends mails of the ledger. A second run finds nothing to claim and sends nothing. */
export async function sendEmails(ctx: Context, payload: Jobs["send_emails"]): Promise<void> {
  await sendSingle(ctx, payload);
}
