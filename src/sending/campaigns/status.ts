// The requested changes of a campaign's status. Each is a guarded UPDATE while the campaign is locked: concurrent
// requests change it once. Three more are defined elsewhere: from SENDING to SENT, when its mails are done
// (`delivery/campaign_ends.ts`), back when captured mails are released (`captured/release.ts`), and to CANCELLED when its
// project is deleted or reset (`accounts/projects/removal.ts`).
import { withPreheader } from "../../content/preheader.ts";
import { type Actor, recordAudit } from "../../accounts/audit.ts";
import { assertSenderVerified } from "../../accounts/projects/domains.ts";
import { assertRoom } from "../../accounts/billing/usage.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import type { JsonArg } from "../../db/types.ts";
import { type Edit, NOBODY } from "../../edits.ts";
import { addJob } from "../../jobs.ts";
import { describeError } from "../../log.ts";
import { Problem, problems } from "../../problem/mod.ts";
import { NO_OPTIONS } from "../compose/mod.ts";
import {
  type AudienceDefinition,
  type CampaignAudience,
  countRecipients,
  defineAudience,
} from "./audience.ts";
import { startKey } from "./send.ts";
import { assertAudience } from "./input.ts";
import { assertSeen, type Campaign, getCampaign } from "./mod.ts";

type Held = NonNullable<Awaited<ReturnType<Queries["campaigns"]["lock"]>>>;

/** More than this is not a difference of clocks: the campaign has been rescheduled. */
const MAX_SKEW_MS = 60_000;
/** Beyond this many, overdue campaigns of a project begin as their jobs come. */
const MAX_OVERDUE = 100;
const MAX_AHEAD_MS = 366 * 86_400_000 * 10;

/**
 * Sends a campaign now, or schedules it (the trigger `campaigns_scheduled_at` notes since when). A SCHEDULED one is
 * rescheduled, or sent now. Throws 409 once it is being sent, 403 for a sender that is not verified, 400 for a time in the
 * past and for an empty audience, 402 if the audience exceeds this month's limit, and 412 where somebody has edited it
 * since it was seen.
 */
export async function sendCampaign(
  ctx: Context,
  projectId: string,
  campaignId: string,
  scheduledFor: Date | null,
  actor: Actor,
  edit: Edit = NOBODY,
): Promise<Campaign> {
  if (scheduledFor !== null) assertFuture(ctx, scheduledFor);
  return await inTransaction(ctx, async (tx) => {
    const campaign = await hold(tx, projectId, campaignId);
    if (campaign.status !== "DRAFT" && campaign.status !== "SCHEDULED") {
      throw problems.campaignStatus("send", campaign.status);
    }
    await assertSeen(tx, projectId, campaignId, { ...edit, purpose: "send" });
    await assertSenderVerified(tx, projectId, campaign.fromEmail);
    // The copy of a campaign may refer to a segment that is gone.
    const wanted = campaign as CampaignAudience;
    if (wanted.audienceType === "FILTERED") await assertAudience(tx, projectId, wanted);
    const audience = await defineAudience(tx, projectId, wanted);
    const totalRecipients = await countRecipients(tx, projectId, wanted, audience);
    if (totalRecipients === 0) throw problems.noRecipients();
    if (scheduledFor === null) {
      await assertRoom(tx, projectId, "campaigns", totalRecipients);
      await begin(tx, projectId, campaign, { audience, totalRecipients });
    } else {
      await q.campaigns.schedule(tx, {
        projectId,
        campaignId,
        scheduledFor,
        totalRecipients,
        now: ctx.now(),
      });
      await addStartJob(tx, projectId, campaignId, scheduledFor);
    }
    await recordAudit(tx, {
      projectId,
      actor,
      action: scheduledFor === null ? "campaign.sent" : "campaign.scheduled",
      subject: campaign.name,
      details: { campaignId, totalRecipients, ...(scheduledFor && { scheduledFor }) },
    });
    return await getCampaign(tx, projectId, campaignId);
  });
}

/** Makes a scheduled campaign a draft again. Throws 409 in any other state. */
export async function unscheduleCampaign(
  ctx: Context,
  projectId: string,
  campaignId: string,
  actor: Actor,
): Promise<Campaign> {
  return await inTransaction(ctx, async (tx) => {
    const { name, status } = await hold(tx, projectId, campaignId);
    if (status !== "SCHEDULED") throw problems.campaignStatus("unschedule", status);
    // Its job finds a draft, and leaves it alone.
    await q.campaigns.unschedule(tx, { projectId, campaignId, now: tx.now() });
    const deed = { action: "campaign.unscheduled", subject: name, details: { campaignId } } as const;
    await recordAudit(tx, { projectId, actor, ...deed });
    return await getCampaign(tx, projectId, campaignId);
  });
}

/**
 * Starts a campaign that is due, and before it those of its project that were due earlier: after an outage they begin
 * in the order of their times. One that was cancelled, rescheduled or sent in the meantime is left alone; one whose
 * sender is no longer verified becomes a draft again.
 */
export async function startScheduled(ctx: Context, projectId: string, campaignId: string): Promise<void> {
  const due = { projectId, campaignId, now: ctx.now(), limit: MAX_OVERDUE };
  for (const earlier of await q.campaigns.dueBefore(ctx, due)) {
    // It has a job of its own, which will report it again.
    await start(ctx, projectId, earlier.id).catch((error: unknown) => {
      ctx.log.warn("campaign not started", { projectId, campaignId: earlier.id, ...describeError(error) });
    });
  }
  await start(ctx, projectId, campaignId);
}

async function start(ctx: Context, projectId: string, campaignId: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const campaign = await q.campaigns.lock(tx, { projectId, campaignId });
    if (campaign?.status !== "SCHEDULED") return;
    const early = campaign.scheduledFor!.getTime() - tx.now().getTime();
    // The queue goes by the clock of Postgres, which may be ahead of ours.
    if (early > 0) {
      const runAt = new Date(campaign.scheduledFor!.getTime() + Math.min(early, MAX_SKEW_MS));
      return await addStartJob(tx, projectId, campaignId, runAt);
    }
    try {
      await assertSenderVerified(tx, projectId, campaign.fromEmail);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      tx.log.warn("campaign not started", { projectId, campaignId, detail: error.message });
      return void (await q.campaigns.unschedule(tx, { projectId, campaignId, now: tx.now() }));
    }
    const audience = await defineAudience(tx, projectId, campaign as CampaignAudience);
    const totalRecipients = await countRecipients(tx, projectId, campaign as CampaignAudience, audience);
    await begin(tx, projectId, campaign, { audience, totalRecipients });
  });
}

/**
 * Cancels a campaign at once. When this resolves nothing of it can be claimed any more: mails that have not been handed
 * over, and are not being handed over now, are never sent. Throws 409 unless it is SCHEDULED or SENDING.
 */
export async function cancelCampaign(
  ctx: Context,
  projectId: string,
  campaignId: string,
  actor: Actor,
): Promise<Campaign> {
  await inTransaction(ctx, async (tx) => {
    const before = await q.campaigns.cancel(tx, { projectId, campaignId, now: tx.now() });
    if (!before) {
      throw problems.campaignStatus("cancel", (await getCampaign(tx, projectId, campaignId)).status);
    }
    if (before.status === "SENDING") await addJob(tx, "suppress_campaign", { projectId, campaignId });
    const deed = { action: "campaign.cancelled", subject: before.name, details: { campaignId } } as const;
    await recordAudit(tx, { projectId, actor, ...deed });
  });
  // Earlier claims must be committed first; after that commit none can begin. A single transaction for both could wait
  // forever: each claim holds a weak lock on the row, and there is always another one.
  return await inTransaction(ctx, async (tx) => {
    await hold(tx, projectId, campaignId);
    return await getCampaign(tx, projectId, campaignId);
  });
}

/** A copy is sent: it stays the same, whatever happens to the campaign. */
async function begin(
  tx: Context,
  projectId: string,
  campaign: Held,
  { audience, totalRecipients }: { audience: AudienceDefinition; totalRecipients: number },
): Promise<void> {
  const contentId = newId(tx);
  const content = {
    id: contentId,
    subject: campaign.subject,
    html: withPreheader(campaign.html, campaign.preheader),
    text: null,
    from_email: campaign.fromEmail,
    from_name: campaign.fromName,
    reply_to: campaign.replyTo,
    headers: null,
    data: null,
    template_id: campaign.templateId,
    type: campaign.type,
    ...NO_OPTIONS,
    shared: true,
  };
  await q.contents.insertMany(tx, { projectId, rows: [content] });
  const campaignId = campaign.id;
  const definition = audience as unknown as JsonArg;
  await q.campaigns.begin(tx, {
    projectId,
    campaignId,
    contentId,
    audience: definition,
    totalRecipients,
    now: tx.now(),
  });
  await addJob(
    tx,
    "snapshot_audience",
    { projectId, campaignId },
    { key: `snapshot_audience:${campaignId}` },
  );
}

async function addStartJob(tx: Context, projectId: string, campaignId: string, runAt: Date): Promise<void> {
  await addJob(tx, "start_campaign", { projectId, campaignId }, { runAt, key: startKey(campaignId) });
}

async function hold(tx: Context, projectId: string, campaignId: string): Promise<Held> {
  const campaign = await q.campaigns.lock(tx, { projectId, campaignId });
  if (!campaign) throw problems.campaignNotFound(campaignId);
  return campaign;
}

function assertFuture(ctx: Context, time: Date): void {
  const ahead = time.getTime() - ctx.now().getTime();
  if (ahead <= 0) throw problems.badRequest("Cannot schedule a campaign for a time in the past");
  if (ahead > MAX_AHEAD_MS) throw problems.badRequest("Cannot schedule a campaign more than ten years ahead");
}
