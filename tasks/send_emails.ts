import type { Context } from "../src/context.ts";
import { addJob, type Jobs } from "../src/jobs.ts";
import { deliverEmails } from "../src/sending/delivery.ts";

/** Sends mails of the ledger. A second run finds nothing to claim and sends nothing. */
export async function sendEmails(ctx: Context, { projectId, emailIds }: Jobs["send_emails"]): Promise<void> {
  const { postponed, waitMs } = await deliverEmails(ctx, projectId, emailIds);
  if (postponed.length === 0) return;
  const runAt = new Date(ctx.now().getTime() + waitMs);
  await addJob(ctx, "send_emails", { projectId, emailIds: postponed }, { runAt });
}
