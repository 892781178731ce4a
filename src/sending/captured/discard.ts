// Captured mails are given up for good: nobody gets them any more.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type CapturedPlace, capturedPages, type ReleaseScope } from "./_pages.ts";

/** What a discard has come to, or would. */
export interface DiscardReport {
  /** Captured mails that were looked at. */
  captured: number;
  /** Those that are SUPPRESSED now; of a dry run: those that would be. */
  discarded: number;
  /** Those that somebody else released or deleted meanwhile, or is about to: they are left to them. */
  skipped: number;
}

const REASON = "Discarded by the operator";

/** Makes captured mails SUPPRESSED, page by page. Their usage was given back when they were captured: it is not charged. */
export async function discardCaptured(
  ctx: Context,
  scope: ReleaseScope,
  { dryRun = false } = {},
): Promise<DiscardReport> {
  const report: DiscardReport = { captured: 0, discarded: 0, skipped: 0 };
  for await (const page of capturedPages(ctx, scope)) {
    const discarded = dryRun ? page.length : await discardPage(ctx, page);
    report.captured += page.length;
    report.discarded += discarded;
    report.skipped += page.length - discarded;
  }
  return report;
}

/** Answers how many there were. */
async function discardPage(ctx: Context, page: CapturedPlace[]): Promise<number> {
  return await inTransaction(ctx, async (tx) => {
    const held = await q.capturedRelease.hold(tx, {
      projectIds: page.map(({ projectId }) => projectId),
      ids: page.map(({ id }) => id),
    });
    if (held.length === 0) return 0;
    await q.capturedRelease.close(tx, {
      closed: held.map(({ projectId, id }) => ({ project_id: projectId, id, reason: REASON })),
    });
    return held.length;
  });
}
