import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";

/** What somebody who begins with a project has done already. */
export interface SetupState {
  hasVerifiedDomain: boolean;
  contactCount: number;
  hasTemplate: boolean;
  /** Whether a mail was accepted, of whatever kind, that has not expired. */
  hasMail: boolean;
  /** When a campaign was last begun to be sent. */
  lastCampaignSentAt: Date | null;
  hasEnabledWorkflow: boolean;
  /** Whether it is paid for, where that is set up. */
  hasSubscription: boolean;
}

/** How far a project is set up, now. */
export async function setupStateOf(ctx: Context, projectId: string): Promise<SetupState> {
  return await q.setupState.get(ctx, { projectId });
}
