import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";

/** A selection of captured mails; left out: all of them. */
export interface ReleaseScope {
  projectId?: string | undefined;
  ids?: string[] | undefined;
  /** Captured from then on. */
  since?: Date | undefined;
  /** Behind this one, which was the last of an earlier call. */
  after?: Pick<CapturedKey, "capturedAt" | "projectId" | "id"> | undefined;
  /** No more than these. */
  limit?: number | undefined;
  /** Is told the last mail of each page that was read. */
  reached?(place: CapturedKey, count: number): void;
  /** Writes down what was done, in the transaction that does it: so many mails. */
  note?(tx: Context, count: number): Promise<void>;
}

/** A captured mail, and its place in the order in which they were captured. */
export type CapturedKey = Awaited<ReturnType<typeof q.capturedRelease.next>>[number];

/** Mails of one commit, so that neither a sender nor a reader of the ledger waits long. */
const PAGE = 1_000;
/** Not above any id. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** The selected mails captured so far, in the order in which they were captured, page by page. */
export async function* capturedPages(ctx: Context, scope: ReleaseScope): AsyncGenerator<CapturedKey[]> {
  const { projectId, ids, since = new Date(0), limit = Infinity } = scope;
  const until = ctx.now();
  if (ids) {
    const mails = await q.capturedRelease.ofIds(ctx, { projectId: projectId ?? null, until, since, ids });
    for (let i = 0; i < mails.length; i += PAGE) yield mails.slice(i, i + PAGE);
    return;
  }
  let place = scope.after ?? { capturedAt: since, projectId: FIRST_ID, id: FIRST_ID };
  for (let count = 0; count < limit;) {
    const size = Math.min(PAGE, limit - count);
    const bounds = { until, afterAt: place.capturedAt, afterId: place.id, limit: size };
    const page = projectId
      ? await q.capturedRelease.nextOfProject(ctx, { ...bounds, projectId })
      : await q.capturedRelease.next(ctx, { ...bounds, afterProjectId: place.projectId });
    if (page.length > 0) yield page;
    count += page.length;
    if (page.length < size) return;
    place = page.at(-1)!;
    scope.reached?.(page.at(-1)!, count);
  }
}
