import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { contactOf } from "./_items.ts";

/** What is to happen. */
export interface UpcomingActivity {
  /** The type and the id of the campaign or the execution. */
  id: string;
  type: "campaign.scheduled" | "workflow.waiting";
  /** When it is to happen. What is overdue is about to. */
  timestamp: Date;
  contactEmail?: string | undefined;
  contactId?: string | undefined;
  metadata: Record<string, unknown>;
}

const DAY_MS = 86_400_000;

/**
 * What will happen within that many days, next first: scheduled campaigns, and workflow steps that end by
 * themselves.
 */
export async function listUpcoming(
  ctx: Context,
  projectId: string,
  { daysAhead, limit }: { daysAhead: number; limit: number },
): Promise<UpcomingActivity[]> {
  const until = new Date(ctx.now().getTime() + daysAhead * DAY_MS);
  const rows = await q.activityUpcoming.list(ctx, { projectId, until, limit });
  return rows.map((row) => {
    const type = row.type as UpcomingActivity["type"];
    const { campaignName, workflowId, workflowName, stepName, stepType } = row;
    const metadata =
      type === "campaign.scheduled"
        ? { campaignId: row.id, campaignName }
        : { workflowId, workflowName, status: "WAITING", stepName, stepType };
    return { id: `${type}:${row.id}`, type, timestamp: row.at, ...contactOf(row), metadata };
  });
}
