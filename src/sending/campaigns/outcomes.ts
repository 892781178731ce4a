// What became of a campaign beyond its counters: which links were followed, and when what happened.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { rollUpAll } from "../../rollup.ts";
import { getCampaign } from "./mod.ts";

/** A link of a campaign that people followed. */
export type CampaignLink = Awaited<ReturnType<Queries["campaignLinks"]["list"]>>[number];

/** An hour (UTC) in which something became of the mails of a campaign. */
export type CampaignHour = Awaited<ReturnType<Queries["campaignLinks"]["series"]>>[number];

/** Links may hold data of the recipient, and so be as many as there are clicks. */
const MAX_LINKS = 100;
const DAY_MS = 86_400_000;
/** Later than this hardly anybody reads a mail. */
const MAX_DAYS = 30;

/** The links of a campaign by their clicks, up to 100. Throws not-found. */
export async function campaignLinks(
  ctx: Context,
  projectId: string,
  campaignId: string,
): Promise<CampaignLink[]> {
  await getCampaign(ctx, projectId, campaignId);
  return await q.campaignLinks.list(ctx, { projectId, campaignId, limit: MAX_LINKS });
}

/** What became of the mails of a campaign hour by hour, in the 30 days since it was sent. Throws not-found. */
export async function campaignSeries(
  ctx: Context,
  projectId: string,
  campaignId: string,
): Promise<CampaignHour[]> {
  const { sentAt } = await getCampaign(ctx, projectId, campaignId);
  if (sentAt === null) return [];
  const hour = new Date(Math.floor(sentAt.getTime() / 3_600_000) * 3_600_000);
  const until = new Date(hour.getTime() + MAX_DAYS * DAY_MS);
  return await q.campaignLinks.series(ctx, { projectId, campaignId, since: hour, until });
}

/** Adds what was clicked since the last time to the links. Returns whether there was anything. */
export async function rollUpCampaignLinks(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, q.campaignLinks.rollUp);
}
