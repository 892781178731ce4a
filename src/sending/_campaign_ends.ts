import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { describeError } from "../log.ts";
import type { Errand } from "./_errands.ts";

/** How long it takes at most until a campaign ends whose last mail no job waited for. */
const END_MS = 500;

/** Ends campaigns whose mails are sent without a job. To be called for each of their mails; those of a moment are one. */
export function createCampaignEnds(ctx: Context): (errand: Errand) => void {
  const ended = new Map<string, string>();
  const finish = async () => {
    const campaigns = [...ended];
    ended.clear();
    for (const [campaignId, projectId] of campaigns) {
      await q.campaignSend.finish(ctx, { projectId, campaignId, now: ctx.now() });
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
