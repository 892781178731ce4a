import type { Context } from "../src/context.ts";
import { sweepEmails as sweep } from "../src/sending/recovery.ts";

/** Finds mails that are due and have no job. A second run finds none, because the first moved their time. */
export async function sweepEmails(ctx: Context): Promise<void> {
  await sweep(ctx);
}
