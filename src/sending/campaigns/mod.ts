import { assertSenderVerified } from "../../accounts/projects/domains.ts";
import { type Context, inTransaction, newId } from "../../context.ts";
import { violatedConstraint } from "../../database_errors.ts";
import { containing } from "../../db/like.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { beginEdit, type Edit, editTag, NOBODY } from "../../edits.ts";
import { rollUpAll } from "../../rollup.ts";
import { addJob } from "../../jobs.ts";
import { problems } from "../../problem/mod.ts";
import { countRecipients } from "./audience.ts";
import { assertAudience, type CampaignInput, type CampaignValues, contentOf } from "./input.ts";

/** A campaign, with its counters as they are now. */
export type Campaign = Omit<NonNullable<Awaited<ReturnType<Queries["campaigns"]["byId"]>>>, "html">;

/** A campaign in a list, whose body is null if it was not asked for. */
export type ListedCampaign = Awaited<ReturnType<Queries["campaigns"]["list"]>>[number];

/** Which page of which campaigns. */
export interface CampaignPage {
  page: number;
  pageSize: number;
  status?: Campaign["status"] | undefined;
  search?: string | undefined;
  sort: "name" | "createdAt" | "updatedAt";
  dir: "asc" | "desc";
  withBody: boolean;
}

const MAX_NAME = 255;

/** One page of campaigns, and how many there are in all. */
export async function listCampaigns(
  ctx: Context,
  projectId: string,
  { page, pageSize, status = undefined, search, sort, dir, withBody }: CampaignPage,
): Promise<{ data: ListedCampaign[]; total: number }> {
  const pattern = search ? containing(search) : null;
  const filter = { projectId, status: status ?? null, pattern };
  const [data, { total }] = await Promise.all([
    q.campaigns.list(ctx, { ...filter, sort, dir, withBody, limit: pageSize, offset: (page - 1) * pageSize }),
    q.campaigns.count(ctx, filter),
  ]);
  return { data, total };
}

/** One campaign, with what is rendered. Throws CAMPAIGN_NOT_FOUND. */
export async function getCampaign(
  ctx: Context,
  projectId: string,
  campaignId: string,
): Promise<Campaign & { html: string }> {
  const campaign = await q.campaigns.byId(ctx, { projectId, campaignId });
  if (!campaign) throw problems.campaignNotFound(campaignId);
  return campaign;
}

/**
 * Makes a draft, and counts whom it would reach. Throws 422 with every field that is wrong, 404 for a template or a
 * segment that does not exist, 403 for a sender that is not verified.
 */
export async function createCampaign(
  ctx: Context,
  projectId: string,
  input: CampaignInput,
  edit: Edit = NOBODY,
): Promise<Campaign> {
  const id = newId(ctx);
  return await save(ctx, projectId, input, async (tx, values) => {
    await q.edits.actAs(tx, { editor: edit.by });
    await q.campaigns.insert(tx, { projectId, id, ...values });
    return id;
  });
}

/** Replaces a draft, or a scheduled campaign: what is left out becomes empty. Throws 409 once it is being sent. */
export async function replaceCampaign(
  ctx: Context,
  projectId: string,
  campaignId: string,
  input: CampaignInput,
  edit: Edit = NOBODY,
): Promise<Campaign> {
  assertChangeable(await getCampaign(ctx, projectId, campaignId));
  return await save(ctx, projectId, input, async (tx, values) => {
    await begin(tx, projectId, campaignId, edit);
    const args = { projectId, id: campaignId, unchangedSince: null, ...values };
    const replaced = await q.campaigns.replace(tx, args);
    if (replaced === 0) assertChangeable(await getCampaign(tx, projectId, campaignId));
    return campaignId;
  });
}

/** Thrown where somebody else has changed the campaign between reading and writing it. */
const CHANGED_MEANWHILE = new Error("changed in the meantime");
const MAX_ROUNDS = 5;

/** Changes what is given of a draft, or of a scheduled campaign. Throws as {@linkcode replaceCampaign} does. */
export async function patchCampaign(
  ctx: Context,
  projectId: string,
  campaignId: string,
  patch: Partial<CampaignInput>,
  edit: Edit = NOBODY,
): Promise<Campaign> {
  for (let round = 1; ; round++) {
    const current = await getCampaign(ctx, projectId, campaignId);
    assertChangeable(current);
    try {
      // Counting and compiling take a moment, and words are saved as they are typed.
      const known: Known = {
        compiled: current,
        ...(!changesAudience(patch) && { totalRecipients: current.totalRecipients }),
      };
      const write = async (tx: Context, values: CampaignValues & { totalRecipients: number }) => {
        await begin(tx, projectId, campaignId, edit);
        const unchangedSince = current.updatedAt;
        const replaced = await q.campaigns.replace(tx, {
          projectId,
          id: campaignId,
          unchangedSince,
          ...values,
        });
        if (replaced === 0) throw CHANGED_MEANWHILE;
        return campaignId;
      };
      return await save(ctx, projectId, { ...inputOf(current), ...patch }, write, known);
    } catch (error) {
      if (error !== CHANGED_MEANWHILE) throw error;
      if (round === MAX_ROUNDS) throw problems.changedMeanwhile("campaign");
    }
  }
}

/** Whether it may be for others than before. */
const changesAudience = (patch: Partial<CampaignInput>) =>
  ["audienceType", "segmentId", "audienceCondition", "type", "templateId"].some((field) => field in patch);

/** Holds the campaign, so that nobody edits it between the comparison and the change. */
async function begin(tx: Context, projectId: string, campaignId: string, edit: Edit): Promise<void> {
  await q.campaigns.lock(tx, { projectId, campaignId });
  await assertSeen(tx, projectId, campaignId, edit);
}

/** Throws 412 where somebody has edited the campaign since it was seen. It has to be held. */
export async function assertSeen(
  tx: Context,
  projectId: string,
  campaignId: string,
  edit: Edit,
): Promise<void> {
  await beginEdit(tx, edit, { kind: "campaign", projectId, id: campaignId }, async () =>
    inputOf(await getCampaign(tx, projectId, campaignId)),
  );
}

/** The `ETag` of a campaign: of what people edit, and not of its counters. */
export function campaignTag(campaign: Campaign): string {
  return editTag(inputOf(campaign));
}

/** A campaign as a request would write it. */
function inputOf({ fromEmail, ...campaign }: Campaign): CampaignInput {
  const { name, description, subject, preheader, body, fromName, replyTo, type } = campaign;
  const { audienceType, segmentId, audienceCondition, templateId } = campaign;
  const audience = { audienceType, segmentId, audienceCondition, templateId };
  return {
    name,
    description,
    subject,
    preheader,
    body,
    from: fromEmail,
    fromName,
    replyTo,
    type,
    ...audience,
  };
}

/** A new draft with the same content and audience. */
export async function duplicateCampaign(
  ctx: Context,
  projectId: string,
  campaignId: string,
): Promise<Campaign> {
  const copy = await q.campaigns.duplicate(ctx, {
    projectId,
    campaignId,
    maxName: MAX_NAME,
    suffix: " (Copy)",
  });
  if (!copy) throw problems.campaignNotFound(campaignId);
  return await getCampaign(ctx, projectId, copy.id);
}

/**
 * Deletes a campaign; its mails stay in the ledger. Throws 409 while it is scheduled or being sent, and 412 where somebody
 * has edited it since.
 */
export async function deleteCampaign(
  ctx: Context,
  projectId: string,
  campaignId: string,
  edit: Edit = NOBODY,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await begin(tx, projectId, campaignId, { ...edit, purpose: "delete" });
    const removed = await q.campaigns.remove(tx, { projectId, campaignId });
    if (!removed) {
      throw problems.campaignStatus("delete", (await getCampaign(tx, projectId, campaignId)).status);
    }
    if (removed.hasOpenMails) await addJob(tx, "suppress_campaign", { projectId, campaignId });
  });
}

/** The campaigns of a project that are being sent, or will be at their time. They wait while it is disabled. */
export async function campaignsUnderWay(
  ctx: Context,
  projectId: string,
): Promise<{ id: string; name: string; status: Campaign["status"] }[]> {
  return await q.campaigns.underWay(ctx, { projectId });
}

/** Adds what has been counted since the last time to the counters. Returns whether there was anything. */
export async function rollUpCampaignCounts(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, q.campaigns.rollUp);
}

/** What is known of a campaign before it is changed. */
interface Known {
  totalRecipients?: number;
  compiled?: { body: string; html: string };
}

/** Checks all of it, counts the audience where it is not known, and only then holds anything: counting may take a moment. */
async function save(
  ctx: Context,
  projectId: string,
  input: CampaignInput,
  write: (tx: Context, values: CampaignValues & { totalRecipients: number }) => Promise<string>,
  known: Known = {},
): Promise<Campaign> {
  const values = await contentOf(ctx, projectId, input, known.compiled);
  await assertAudience(ctx, projectId, values);
  const totalRecipients = known.totalRecipients ?? (await countRecipients(ctx, projectId, values));
  try {
    return await inTransaction(ctx, async (tx) => {
      // A segment that the audience refers to cannot be deleted or changed in the meantime.
      await q.segments.lockAll(tx, { projectId });
      await assertAudience(tx, projectId, values);
      await assertSenderVerified(tx, projectId, values.fromEmail);
      return await getCampaign(tx, projectId, await write(tx, { ...values, totalRecipients }));
    });
  } catch (error) {
    const isGone = violatedConstraint(error) === "campaigns_project_id_template_id_fkey";
    throw isGone ? problems.templateNotFound(values.templateId!) : error;
  }
}

function assertChangeable({ status }: Campaign): void {
  if (status !== "DRAFT" && status !== "SCHEDULED") throw problems.campaignStatus("change", status);
}
