import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { percent } from "../percent.ts";

/** By what campaigns are ranked. */
export const METRICS = ["opens", "clicks", "openRate", "clickRate"] as const;

/** A campaign with its outcomes; rates are percentages of the mails sent. */
export interface RankedCampaign {
  id: string;
  name: string;
  subject: string;
  sentCount: number;
  openedCount: number;
  clickedCount: number;
  openRate: number;
  clickRate: number;
}

/** The campaigns that have sent mails, the best first. */
export async function rankCampaigns(
  ctx: Context,
  projectId: string,
  { metric, limit }: { metric: (typeof METRICS)[number]; limit: number },
): Promise<RankedCampaign[]> {
  const rows = await q.campaignRanking.top(ctx, { projectId, metric, limit });
  return rows.map((row) => ({
    ...row,
    openRate: percent(row.openedCount, row.sentCount),
    clickRate: percent(row.clickedCount, row.sentCount),
  }));
}

/** How many campaigns are active or sent, and their combined rates, weighted by mails. */
export async function countCampaigns(ctx: Context, projectId: string) {
  const { total, active, completed, sent, opened, clicked } = await q.campaignRanking.total(ctx, {
    projectId,
  });
  return {
    total,
    active,
    completed,
    averageOpenRate: percent(opened, sent),
    averageClickRate: percent(clicked, sent),
  };
}
