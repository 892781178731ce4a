// A campaign on its way: its audience becomes mails, its mails are sent in batches, and it ends by itself.
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { addJob, addJobs, type Jobs } from "../jobs.ts";
import { type CampaignAudience, compileAudience } from "./campaign_audience.ts";
import { deliverEmails } from "./delivery.ts";
import { rateOf } from "./send_rates.ts";

/** The first range is small, so that the first mail leaves at once; the others are as large as is quick. */
const FIRST_RANGE = 500;
const RANGE = 20_000;
/** Mails of one job: some tenths of a second of work. Other jobs have their turn, and a killed process holds few. */
const BATCH_SIZE = 200;
/** Of a longer range, which only a sweep makes, a job takes so many and leaves the rest to another one. */
const BATCH_LIMIT = 1_000;
const ANALYZE_FROM = 10_000;
const SUPPRESS_LIMIT = 5_000;
/** Where a rate makes mails wait, a job gives its place to others after this time. */
const SLOW_BATCH_MS = 3_000;

/**
 * Freezes the audience of a campaign: one mail in the ledger for each contact that belongs to it now, range by range.
 * Whoever runs this again, after a crash too, goes on behind the last range that was committed.
 */
export async function freezeAudience(ctx: Context, projectId: string, campaignId: string): Promise<void> {
  let total = 0;
  for (let limit = FIRST_RANGE; ; limit = RANGE) {
    const frozen = await freezeRange(ctx, projectId, campaignId, limit);
    if (frozen === null) break;
    total += frozen;
  }
  if (total >= ANALYZE_FROM) await q.campaignSend.analyze(ctx);
  await finishCampaign(ctx, projectId, campaignId);
}

/** Freezes one range. Null when there is none left, or the campaign was cancelled. */
async function freezeRange(
  ctx: Context,
  projectId: string,
  campaignId: string,
  limit: number,
): Promise<number | null> {
  return await inTransaction(ctx, async (tx) => {
    await q.campaignSend.keepContacts(tx, { projectId });
    const campaign = await q.campaignSend.holdForFreezing(tx, { projectId, campaignId });
    if (!campaign) return null;
    const audience = await compileAudience(tx, projectId, campaign as CampaignAudience);
    await q.audience.allowHashing(tx);
    const { frozen } = await q.campaignSend.freezeRange(tx, {
      projectId,
      campaignId,
      contentId: campaign.contentId,
      afterId: campaign.frozenUpTo,
      sentAt: campaign.sentAt,
      now: tx.now(),
      audience: audience(),
      limit,
      batchSize: BATCH_SIZE,
    });
    if (frozen > 0) return frozen;
    await q.campaignSend.frozen(tx, { projectId, campaignId, now: tx.now() });
    return null;
  });
}

/** Sends what is due of a range of mails. What a rate does not allow now is left to a later job. */
export async function sendBatch(ctx: Context, batch: Jobs["send_batch"]): Promise<void> {
  const { projectId, campaignId } = batch;
  const rows = await q.campaignSend.batch(ctx, { ...batch, now: ctx.now(), limit: BATCH_LIMIT });
  const ids = rows.map((row) => row.id);
  const rest = await sendInSteps(ctx, batch, ids);
  const isCut = ids.length === BATCH_LIMIT;
  if (!rest && !isCut) return await finishCampaign(ctx, projectId, campaignId);
  const { fromId, waitMs } = rest ?? { fromId: ids.at(-1)!, waitMs: 0 };
  const runAt = new Date(ctx.now().getTime() + waitMs);
  await addJob(ctx, "send_batch", { ...batch, fromId }, { runAt });
}

/** Sends mails in the order of their ids, a second's worth at a time. Answers where somebody else must go on, and when. */
async function sendInSteps(
  ctx: Context,
  { projectId, campaignId }: Jobs["send_batch"],
  ids: string[],
): Promise<{ fromId: string; waitMs: number } | null> {
  const rate = await rateOf(ctx, projectId);
  const step = rate === null ? ids.length : Math.max(1, Math.ceil(rate));
  const startedAt = performance.now();
  for (let i = 0; i < ids.length; i += step) {
    const isSlow = performance.now() - startedAt > SLOW_BATCH_MS;
    if (isSlow) return { fromId: ids[i]!, waitMs: 0 };
    const { postponed, waitMs } = await deliverEmails(ctx, projectId, ids.slice(i, i + step), campaignId);
    if (postponed.length > 0) return { fromId: postponed[0]!, waitMs };
  }
  return null;
}

/**
 * Ends a campaign that has nothing open: SENDING becomes SENT. Called when a batch is done, after its commit: of
 * several that end at once the last one sees that all have.
 */
async function finishCampaign(ctx: Context, projectId: string, campaignId: string): Promise<void> {
  await q.campaignSend.finish(ctx, { projectId, campaignId, now: ctx.now() });
}

/** Closes what a cancelled campaign has not sent, some thousand mails a commit. */
export async function suppressCampaign(ctx: Context, projectId: string, campaignId: string): Promise<void> {
  const suppress = () => q.campaignSend.suppress(ctx, { projectId, campaignId, limit: SUPPRESS_LIMIT });
  while ((await suppress()) > 0);
  await finishCampaign(ctx, projectId, campaignId);
}

/** Gives a job to every campaign that is on its way and has none, as after its project was enabled again. */
export async function sweepCampaigns(ctx: Context): Promise<void> {
  for (const campaign of await q.campaignSend.unfinished(ctx)) {
    const { projectId, id: campaignId } = campaign;
    await finishCampaign(ctx, projectId, campaignId);
    if (campaign.hasJobs) continue;
    if (campaign.status === "CANCELLED") {
      await addJob(
        ctx,
        "suppress_campaign",
        { projectId, campaignId },
        { key: `suppress_campaign:${campaignId}` },
      );
    } else if (!campaign.isFrozen) {
      await addJob(
        ctx,
        "freeze_audience",
        { projectId, campaignId },
        { key: `freeze_audience:${campaignId}` },
      );
    }
    await requeueOverdue(ctx, projectId, campaignId);
  }
}

async function requeueOverdue(ctx: Context, projectId: string, campaignId: string): Promise<void> {
  const overdue = await q.campaignSend.overdue(ctx, { projectId, campaignId, now: ctx.now() });
  if (!overdue?.fromId || !overdue.toId) return;
  await addJobs(ctx, "send_batch", [{ projectId, campaignId, fromId: overdue.fromId, toId: overdue.toId }]);
}
