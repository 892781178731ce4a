import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";

/** A selection of captured mails; left out: all of them. */
export interface ReleaseScope {
  projectId?: string | undefined;
  ids?: string[] | undefined;
  /** Captured from then on. */
  since?: Date | undefined;
}

/** A captured mail, and its place in the order in which they were captured. */
export type CapturedPlace = Awaited<ReturnType<typeof q.capturedRelease.next>>[number];

/** Mails of one commit, so that neither a sender nor a reader of the ledger waits long. */
const PAGE = 1_000;
/** Not above any id. */
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** The selected mails captured so far, in the order in which they were captured, page by page. */
export async function* capturedPages(ctx: Context, scope: ReleaseScope): AsyncGenerator<CapturedPlace[]> {
  const bounds = { projectId: scope.projectId ?? null, until: ctx.now() };
  const since = scope.since ?? new Date(0);
  if (scope.ids) {
    const mails = await q.capturedRelease.ofIds(ctx, { ...bounds, since, ids: scope.ids });
    for (let i = 0; i < mails.length; i += PAGE) yield mails.slice(i, i + PAGE);
    return;
  }
  let place = { capturedAt: since, projectId: FIRST_ID, id: FIRST_ID };
  for (let page: CapturedPlace[] | undefined; !page || page.length === PAGE;) {
    page = await q.capturedRelease.next(ctx, {
      ...bounds,
      afterAt: place.capturedAt,
      afterProjectId: place.projectId,
      afterId: place.id,
      limit: PAGE,
    });
    if (page.length > 0) yield page;
    place = page.at(-1) ?? place;
  }
}
