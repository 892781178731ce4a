// What happened to a campaign beyond its counters: which links were followed, and when what happened.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { Queries } from "../../db/queries.gen.ts";
import { rollUpAll } from "../../rollup.ts";
import { getCampaign } from "./mod.ts";

/** A link of a campaign that people followed. */
export type CampaignLink = Awaited<ReturnType<Queries["campaignLinks"]["list"]>>[number];

/** An hour (UTC) in which something happened to the mails of a campaign. */
export type CampaignHour = Awaited<ReturnType<Queries["campaignLinks"]["series"]>>[number];

/** Why mails of a campaign did not arrive. */
export interface CampaignReason {
  status: "BOUNCED" | "FAILED" | "COMPLAINED" | "SUPPRESSED" | "IN_DOUBT";
  /** Without what differs from mail to mail; empty if none was given. */
  reason: string;
  mails: number;
  /** The words of one of them. */
  example: string;
  /** There are more mails in this state than were checked: the newest count. */
  isSample: boolean;
}

const MAX_REASONS = 50;
/** Of each state. */
const REASONS_SAMPLE = 1_000;
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

/** What happened to the mails of a campaign hour by hour, in the 30 days since it was sent. Throws not-found. */
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

/** Why mails of a campaign did not arrive, up to 50 reasons, by the newest 1,000 mails of each state. Throws not-found. */
export async function campaignReasons(
  ctx: Context,
  projectId: string,
  campaignId: string,
): Promise<CampaignReason[]> {
  await getCampaign(ctx, projectId, campaignId);
  const scope = { projectId, campaignId, limit: MAX_REASONS, sample: REASONS_SAMPLE };
  const rows = await q.campaignReasons.list(ctx, scope);
  return rows.map(({ seen, status, ...row }) => ({
    ...row,
    status: status as CampaignReason["status"],
    isSample: seen === REASONS_SAMPLE,
  }));
}

/** Adds what was clicked since the last time to the links. Returns whether there was anything. */
export async function rollUpCampaignLinks(ctx: Context): Promise<boolean> {
  return await rollUpAll(ctx, q.campaignLinks.rollUp);
}
