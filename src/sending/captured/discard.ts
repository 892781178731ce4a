// Captured mails are given up permanently: they can no longer be sent.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type CapturedKey, capturedPages, type ReleaseScope } from "./_pages.ts";

/** The result of a discard, or of a dry run. */
export interface DiscardReport {
  /** Captured mails that were examined. */
  captured: number;
  /** Those that are SUPPRESSED now; of a dry run: those that would be. */
  discarded: number;
  /** Those that somebody else released or deleted in the meantime, or is about to: they are left alone. */
  skipped: number;
}

const REASON = "Discarded by the operator";
const REASON_OF_OWNER = "Discarded by an owner of the project";

/** Makes captured mails SUPPRESSED, page by page. Their usage was given back when they were captured: it is not charged. */
export async function discardCaptured(
  ctx: Context,
  scope: ReleaseScope,
  { dryRun = false } = {},
): Promise<DiscardReport> {
  const report: DiscardReport = { captured: 0, discarded: 0, skipped: 0 };
  for await (const page of capturedPages(ctx, scope)) {
    const discarded = dryRun ? page.length : await discardPage(ctx, page, scope);
    report.captured += page.length;
    report.discarded += discarded;
    report.skipped += page.length - discarded;
  }
  return report;
}

/** Returns how many there were. */
async function discardPage(ctx: Context, page: CapturedKey[], { note }: ReleaseScope): Promise<number> {
  return await inTransaction(ctx, async (tx) => {
    const held = await q.capturedRelease.hold(tx, {
      projectIds: page.map(({ projectId }) => projectId),
      ids: page.map(({ id }) => id),
    });
    if (held.length === 0) return 0;
    await q.capturedRelease.close(tx, {
      closed: held.map(({ projectId, id }) => ({
        project_id: projectId,
        id,
        reason: note ? REASON_OF_OWNER : REASON,
      })),
    });
    await note?.(tx, held.length);
    return held.length;
  });
}
