// What came of mails, by their tags. No counter tells tags apart: there may be one for each mail.
import { firstIdAt } from "../audience/conditions/tree.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { problems } from "../problem/mod.ts";
import { withinBudget } from "../time_budget.ts";
import { type DaysQuery, limitsOf, readDays } from "./date_range.ts";

/** Each mail counts once. */
export interface TagTotals {
  name: string;
  value: string;
  emails: number;
  delivered: number;
  opens: number;
  clicks: number;
  bounces: number;
  complaints: number;
}

/** About a million mails. */
const BUDGET_MS = 2_000;
const DAY_MS = 86_400_000;

/**
 * The most frequent tags of the mails that were accepted on some days, and what came of these until now. Throws BAD_REQUEST
 * for what `readDays` does not take, and for more mails than can be counted in two seconds.
 */
export async function rankTags(
  ctx: Context,
  projectId: string,
  query: DaysQuery & { name?: string | undefined },
  { limit, maxDays }: { limit: number; maxDays: number },
): Promise<TagTotals[]> {
  const settings = query.tz ? null : await q.projects.settings(ctx, { projectId });
  const days = readDays(query, { now: ctx.now(), timeZone: settings?.timezone ?? "UTC", maxDays });
  const ids = idsAccepted(...limitsOf(days));
  const prefix = query.name === undefined ? null : `${query.name}:`;
  const rows = await withinBudget(ctx, BUDGET_MS, (tx) =>
    q.mailSeries.byTag(tx, { projectId, ...ids, prefix, limit }),
  );
  if (rows === null) throw problems.tooManyTagged();
  return rows.map(({ tag, ...counts }) => {
    const colon = tag.indexOf(":");
    return { name: tag.slice(0, colon), value: tag.slice(colon + 1), ...counts };
  });
}

/** The ids of mails that were accepted from one moment, or some days before it, until before another. */
export function idsAccepted(start: Date, end: Date, daysBefore = 0): { since: string; until: string } {
  return { since: firstIdAt(new Date(start.getTime() - daysBefore * DAY_MS)), until: firstIdAt(end) };
}
