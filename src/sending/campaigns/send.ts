// Sending a campaign: its audience becomes mails, its mails are sent in batches, and it ends by itself.
import { overLimit } from "../../accounts/billing/usage.ts";
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { addJob, type Jobs } from "../../jobs.ts";
import { type AudienceDefinition, compileAudience } from "./audience.ts";
import { finishCampaign } from "../delivery/campaign_ends.ts";
import { CLOSED_WAIT_MS, deliverBatch, type DeliveredBatch, opened } from "../delivery/mod.ts";
import { placeOfBatch, rateOf } from "../delivery/rates.ts";
import { notifyMembers } from "../platform/mod.ts";
import { cutShort } from "../platform/usage_notices.ts";

/** The first range is small, so that the first mail leaves at once; the others are as large as is quick. */
const FIRST_RANGE = 500;
const RANGE = 20_000;
/** Mails of one job: some tenths of a second of work. Other jobs have their turn, and a killed process holds few. */
const BATCH_SIZE = 200;
/** Of a longer range a job takes this many, and leaves the rest to another one. */
const BATCH_LIMIT = 500;
const ANALYZE_FROM = 10_000;
/** Mails that one sweep gives jobs to. */
const REQUEUE_LIMIT = 50_000;
const SUPPRESS_LIMIT = 5_000;
/** How often a batch that keeps to a rate asks for more. */
const PACE_MS = 1_000;
/** How often one asks at most whose transports take nothing, as for the rest of a day: a campaign may have thousands. */
const SHUT_OUT_MS = 60_000;
/** Who stands far behind in the line of a transport asks this often whether it has become faster. */
const LONGEST_IN_LINE_MS = 600_000;

/**
 * Takes a snapshot of the audience of a campaign: one mail in the ledger for each contact that belongs to it now, range
 * by range. Running this again, after a crash too, continues after the last committed range. Mails beyond this month's
 * limit are FAILED, and members are notified.
 */
export async function snapshotAudience(ctx: Context, projectId: string, campaignId: string): Promise<void> {
  for (let limit = FIRST_RANGE; await snapshotRange(ctx, projectId, campaignId, limit); limit = RANGE);
  await finishCampaign(ctx, projectId, campaignId);
}

/** Takes one range. False when there is none left, or the campaign was cancelled. */
async function snapshotRange(
  ctx: Context,
  projectId: string,
  campaignId: string,
  limit: number,
): Promise<boolean> {
  return await inTransaction(ctx, async (tx) => {
    await q.campaignSend.keepContacts(tx, { projectId });
    const campaign = await q.campaignSend.holdForSnapshot(tx, { projectId, campaignId });
    if (!campaign) return false;
    const { type, sentAt } = campaign;
    const definition = campaign.audience as unknown as AudienceDefinition;
    await q.audience.allowHashing(tx);
    const { added } = await q.campaignSend.snapshotRange(tx, {
      projectId,
      campaignId,
      contentId: campaign.contentId,
      afterId: campaign.snapshotUpTo,
      sentAt,
      now: tx.now(),
      overLimit: overLimit("campaigns", tx.now()),
      audience: compileAudience(tx, projectId, type, definition, { now: sentAt })(),
      limit,
      batchSize: BATCH_SIZE,
    });
    if (added > 0) return true;
    const done = await q.campaignSend.endSnapshot(tx, { projectId, campaignId, now: tx.now() });
    if (done && done.snapshotCount >= ANALYZE_FROM) await q.campaignSend.analyze(tx);
    if (done && done.overLimitCount > 0) await notifyMembers(tx, projectId, cutShort(done, tx.now()));
    return false;
  });
}

/** Sends what is due of a range of mails. What a rate does not allow now is left to a later job. */
export async function sendBatch(ctx: Context, batch: Jobs["send_batch"]): Promise<void> {
  const { projectId, campaignId } = batch;
  const campaign = await q.campaignSend.sendable(ctx, { projectId, campaignId });
  if (!campaign?.sendable) return await suppressCampaign(ctx, projectId, campaignId);
  // The place in the queue is kept, so that nobody has to search for what was left; and few jobs run.
  if (!(await opened(ctx, projectId, CLOSED_WAIT_MS))) return await again(ctx, batch, 0);
  const rate = await rateOf(ctx, projectId);
  const wait = rate === null || batch.inLine ? 0 : placeOfBatch(ctx, projectId, rate, BATCH_SIZE);
  if (wait > PACE_MS) return await again(ctx, { ...batch, inLine: true }, wait);
  const limit = rate === null ? BATCH_LIMIT : Math.max(1, Math.floor((rate * PACE_MS) / 1000));
  const rows = await waitingOf(ctx, batch, limit);
  const ids = rows.map((row) => row.id);
  const delivered = await deliverBatch(ctx, projectId, rows, campaignId);
  const { postponed } = delivered;
  // Nobody waits for a rate here: there are few places for bulk work, and other campaigns may have no rate.
  if (postponed.length > 0)
    return await again(
      ctx,
      { ...batch, fromId: postponed[0]!, inLine: true },
      pauseOf(ctx, batch, delivered),
    );
  // Rows that somebody else had locked for a moment are free now.
  const left = await q.campaignSend.left(ctx, { projectId, ids, now: ctx.now() });
  if (left) return await again(ctx, { ...batch, fromId: left.id, inLine: true }, PACE_MS);
  if (ids.length < limit) return await finishCampaign(ctx, projectId, campaignId);
  await again(ctx, { ...batch, fromId: ids.at(-1)!, inLine: true }, rate === null ? 0 : PACE_MS);
}

/**
 * When a batch comes again of which some mails were postponed. Those of one campaign for one transport wait in a line; another
 * campaign has a line of its own, so that a large one is not before it.
 */
function pauseOf(ctx: Context, { campaignId }: Jobs["send_batch"], delivered: DeliveredBatch): number {
  const { postponed, waitMs, isShutOut, transportRate } = delivered;
  if (isShutOut) return Math.max(PACE_MS, Math.min(waitMs, SHUT_OUT_MS));
  if (!transportRate) return PACE_MS;
  const { transportId, rate } = transportRate;
  const place = placeOfBatch(ctx, `${transportId} ${campaignId}`, rate, postponed.length);
  return Math.max(PACE_MS, Math.min(place, LONGEST_IN_LINE_MS));
}

/** The mails of a batch that wait to be sent. */
async function waitingOf(ctx: Context, batch: Jobs["send_batch"], limit: number) {
  const { projectId, campaignId, emailIds, fromId } = batch;
  if (!emailIds) return await q.campaignSend.batch(ctx, { ...batch, now: ctx.now(), limit });
  const ids = emailIds.filter((id) => id >= fromId);
  return await q.campaignSend.named(ctx, { projectId, campaignId, ids, now: ctx.now(), limit });
}

/** Leaves the rest of a batch to a job of its own, with the same priority. */
async function again(ctx: Context, batch: Jobs["send_batch"], waitMs: number): Promise<void> {
  const runAt = new Date(ctx.now().getTime() + waitMs);
  await addJob(ctx, "send_batch", batch, { runAt, priority: batch.priority ?? null });
}

/** Closes what a cancelled campaign has not sent, some thousand mails a commit. */
export async function suppressCampaign(ctx: Context, projectId: string, campaignId: string): Promise<void> {
  const suppress = () => q.campaignSend.suppress(ctx, { projectId, campaignId, limit: SUPPRESS_LIMIT });
  while ((await suppress()) > 0);
  await finishCampaign(ctx, projectId, campaignId);
}

/** Gives a job to every campaign that is on its way, or should be, and has none. */
export async function sweepCampaigns(ctx: Context): Promise<void> {
  for (const campaign of await q.campaignSend.unfinished(ctx, { now: ctx.now() })) {
    const { projectId, id: campaignId, status } = campaign;
    const ids = { projectId, campaignId };
    await finishCampaign(ctx, projectId, campaignId);
    if (campaign.hasJobs) continue;
    if (status === "CANCELLED") await addJob(ctx, "suppress_campaign", ids);
    else if (status === "SCHEDULED") await addJob(ctx, "start_campaign", ids, { key: startKey(campaignId) });
    else {
      if (!campaign.hasSnapshot) await addJob(ctx, "snapshot_audience", ids);
      await q.campaignSend.requeue(ctx, {
        ...ids,
        now: ctx.now(),
        limit: REQUEUE_LIMIT,
        batchSize: BATCH_SIZE,
      });
    }
  }
}

/** Identifies the job that starts a campaign at its time: a new time replaces it. */
export function startKey(campaignId: string): string {
  return `start_campaign:${campaignId}`;
}
