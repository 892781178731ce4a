import type { Context } from "../src/context.ts";
import type { Jobs } from "../src/jobs.ts";
import { foldCounts } from "./fold_counts.ts";
import { purgeExpired } from "./purge_expired.ts";
import { sendEmails } from "./send_emails.ts";
import { settleDoubts } from "./settle_doubts.ts";
import { sweepEmails } from "./sweep_emails.ts";

/** A task for each job. */
export type Tasks = { [Name in keyof Jobs]: (ctx: Context, payload: Jobs[Name]) => Promise<void> };

/** Every job of the service. A job without a task, or a task without a job, does not compile. */
export const tasks: Tasks = {
  fold_counts: foldCounts,
  purge_expired: purgeExpired,
  send_emails: sendEmails,
  settle_doubts: settleDoubts,
  sweep_emails: sweepEmails,
};

/** When what is run by the clock is run. */
export const CRONTAB = new URL("./crontab", import.meta.url).pathname;
