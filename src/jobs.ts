import type { Context } from "./context.ts";
import { q } from "./db/queries.ts";

/** Every job and its payload. The key is the name of a file in `tasks/`. A payload holds ids, never copies of rows. */
export interface Jobs {
  fold_counts: Record<string, never>;
  purge_expired: Record<string, never>;
  send_emails: { projectId: string; emailIds: string[] };
  settle_doubts: Record<string, never>;
  sweep_emails: Record<string, never>;
}

/** The lane of each job: bulk work never holds a transactional mail back. */
export const LANES: { readonly [Name in keyof Jobs]: "fast" | "bulk" } = {
  fold_counts: "bulk",
  purge_expired: "bulk",
  send_emails: "fast",
  settle_doubts: "bulk",
  sweep_emails: "bulk",
};

/** Enqueues one job per payload in the transaction of `tx`, in one statement: they exist if and only if it commits. */
export async function addJobs<Name extends keyof Jobs>(
  tx: Context,
  name: Name,
  payloads: Jobs[Name][],
): Promise<void> {
  if (payloads.length > 0) await q.jobs.addMany(tx, { task: name, payloads });
}
