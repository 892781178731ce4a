import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { percent } from "./_percent.ts";
import { type Days, startsOf } from "./date_range.ts";

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
  const starts = startsOf(days);
  const range = { firstDay: String(days.first), lastDay: String(days.last) };
  const [{ events }, mails, { executions }] = await Promise.all([
    q.activityStats.events(ctx, { projectId, ...range }),
    q.mailSeries.total(ctx, { projectId, since: starts[0]!, until: starts.at(-1)! }),
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
