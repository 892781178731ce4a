import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import type { DeliveryRequest } from "./_requests.ts";

/** How long it takes at most until a campaign ends whose last mail no job waited for. */
const END_MS = 500;

/** Ends campaigns whose mails are sent without a job. To be called for each of their mails; those of a moment are one. */
export function createCampaignEnds(ctx: Context): (request: DeliveryRequest) => void {
  const ended = new Map<string, string>();
  const finish = async () => {
    const campaigns = [...ended];
    ended.clear();
    for (const [campaignId, projectId] of campaigns) {
      await finishCampaign(ctx, projectId, campaignId);
    }
  };
  // Where it fails the sweep does it.
  const finishSafely = () =>
    void finish().catch((error) => ctx.log.warn("campaign not ended yet", describeError(error)));
  return ({ projectId, campaignId }) => {
    if (campaignId === null) return;
    if (ended.size === 0) setTimeout(finishSafely, END_MS);
    ended.set(campaignId, projectId);
  };
}

/**
 * Ends a campaign that has no open mails: SENDING becomes SENT. Called when a batch is done, after its commit: of
 * several that end at once the last one sees all of them. What reopens mails (`captured/release.ts`) holds the
 * campaign at that time: so it is locked first, and then checked.
 */
export async function finishCampaign(ctx: Context, projectId: string, campaignId: string): Promise<void> {
  if (!(await q.campaignSend.seemsOver(ctx, { projectId, campaignId }))) return;
  await inTransaction(ctx, async (tx) => {
    await q.campaignSend.hold(tx, { projectIds: [projectId], ids: [campaignId] });
    await q.campaignSend.finish(tx, { projectId, campaignId, now: tx.now() });
  });
}
