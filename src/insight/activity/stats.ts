import { firstIdAt } from "../../audience/conditions/tree.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { percent } from "../../percent.ts";
import { type Days, limitsOf } from "../date_range.ts";

/** Counting this many takes 10 ms. */
const RECENT_UP_TO = 20_000;
const MINUTE_MS = 60_000;

/** What happened in a project; rates are percentages of the mails sent. */
export interface ActivityStats {
  /** Every event, those of the service among them. */
  totalEvents: number;
  totalEmailsSent: number;
  totalEmailsOpened: number;
  totalEmailsClicked: number;
  totalWorkflowsStarted: number;
  openRate: number;
  clickRate: number;
}

/** What happened on these days (UTC), by the time at which it did. */
export async function readActivityStats(ctx: Context, projectId: string, days: Days): Promise<ActivityStats> {
  const [since, until] = limitsOf(days);
  const range = { firstDay: String(days.first), lastDay: String(days.last) };
  const [{ events }, mails, { executions }] = await Promise.all([
    q.activityStats.events(ctx, { projectId, ...range }),
    q.mailSeries.total(ctx, { projectId, since, until }),
    q.activityStats.executions(ctx, { projectId, ...range }),
  ]);
  return {
    totalEvents: events,
    totalEmailsSent: mails.emails,
    totalEmailsOpened: mails.opens,
    totalEmailsClicked: mails.clicks,
    totalWorkflowsStarted: executions,
    openRate: percent(mails.opens, mails.emails),
    clickRate: percent(mails.clicks, mails.emails),
  };
}

/** How many items there are of the last minutes; of each kind no more than 20,000 are counted. */
export async function countRecent(ctx: Context, projectId: string, minutes: number): Promise<number> {
  const since = firstIdAt(new Date(ctx.now().getTime() - minutes * MINUTE_MS));
  return (await q.activityStats.countSince(ctx, { projectId, since, upTo: RECENT_UP_TO })).count;
}
