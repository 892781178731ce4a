import type { Context } from "../src/context.ts";
import { reachesMailServer } from "../src/sending/delivery/mod.ts";
import { sweepEmails as sweep } from "../src/sending/delivery/recovery.ts";

/** Finds mails that are due and have no job. A second run finds none, because the first moved their time. */
export async function sweepEmails(ctx: Context): Promise<void> {
  // While no process reaches the mail server a job would be dropped at once; whoever reaches it again wakes all.
  await sweep(ctx, { requeues: reachesMailServer(ctx) });
}
