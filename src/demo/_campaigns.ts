// The campaigns of the demo: ten that were sent, one of them within the hour, one that is scheduled, and drafts.
import { OPERATOR } from "../accounts/audit.ts";
import { type Context, newId } from "../context.ts";
import { q } from "../db/queries.ts";
import { createCampaign } from "../sending/campaigns/mod.ts";
import type { CampaignInput } from "../sending/campaigns/input.ts";
import { sendCampaign } from "../sending/campaigns/status.ts";
import { newsletterBody, type Templates } from "./_content.ts";
import type { Segments } from "./_segments.ts";
import { FROM, FROM_NAME } from "./_words.ts";

/** A campaign that was sent: when, to whom, and how it did. */
export interface SentCampaign {
  n: number;
  id: string;
  name: string;
  contentId: string;
  at: Date;
  country: string | null;
  plan: string | null;
  opens: number;
  clicks: number;
}

/** Name, subject, days ago, rates, and the part of the audience. */
type Plan = [name: string, subject: string, daysAgo: number, opens: number, clicks: number, to?: Part];
type Part = { country: string } | { plan: string };

const SENT: Plan[] = [
  ["Autumn preview", "A first look at autumn", 86, 0.44, 0.11],
  ["Lamps are back", "Solvei is back in three colours", 77, 0.41, 0.13, { plan: "plus" }],
  ["Repair week", "Bring it in: repair week", 68, 0.36, 0.05, { country: "NL" }],
  ["Berlin opening", "We open in Berlin, and you are invited", 59, 0.53, 0.17, { country: "DE" }],
  ["Journal: wool", "How wool is washed", 50, 0.38, 0.07, { plan: "plus" }],
  ["Members' evening", "An evening for the few", 41, 0.61, 0.24, { plan: "pro" }],
  ["Mid-season sale", "Up to 30 percent, until Sunday", 31, 0.47, 0.18, { plan: "free" }],
  ["London pop-up", "Two weeks in Shoreditch", 21, 0.49, 0.12, { country: "GB" }],
  ["The quiet season", "The quiet season begins", 10, 0.42, 0.1, { country: "DE" }],
  ["Gift guide", "Thirty gifts that last", 50 / 1440, 0.4, 0.09],
];
const DAY_MS = 86_400_000;
const LEAD = "this letter is short, as always: what is new, what is back, and one thing worth reading.";

/** Makes the campaigns. Those that were sent stay drafts until their mails are there. */
export async function addCampaigns(
  tx: Context,
  projectId: string,
  pictures: Record<string, string>,
  segments: Segments,
  templates: Templates,
): Promise<SentCampaign[]> {
  const sent: SentCampaign[] = [];
  for (const [i, plan] of SENT.entries()) sent.push(await addSent(tx, projectId, pictures, plan, i + 1));
  const draft = (input: Omit<CampaignInput, "type">) =>
    createCampaign(tx, projectId, { ...input, type: "MARKETING" });
  await draft({ name: "Winter letter", templateId: templates.newsletter, audienceType: "ALL" });
  await draft({
    name: "Come back, ten percent",
    templateId: templates.winBack,
    audienceType: "SEGMENT",
    segmentId: segments.lapsed,
  });
  await draft({
    name: "Thank you, best customers",
    subject: "For you, before everybody else",
    templateId: templates.newsletter,
    audienceType: "SEGMENT",
    segmentId: segments.vip,
  });
  return sent;
}

/** Makes a campaign that was sent, and what its mails say. */
async function addSent(
  tx: Context,
  projectId: string,
  pictures: Record<string, string>,
  [name, subject, daysAgo, opens, clicks, to]: Plan,
  n: number,
): Promise<SentCampaign> {
  const at = hourOf(tx, daysAgo);
  const past = { ...tx, now: () => at };
  const body = await newsletterBody({ HEADLINE: subject, LEAD }, pictures);
  const { id } = await createCampaign(past, projectId, {
    name,
    subject,
    body,
    ...sender(),
    ...audience(to),
  });
  const content = { projectId, id: newId(past), campaignId: id, at };
  const { id: contentId } = await q.demoMails.addCampaignContent(tx, content);
  return { n, id, name, contentId, at, country: null, plan: null, ...to, opens, clicks };
}

/** Schedules one, by the service's own function. To be called last: its audience has to be there. */
export async function scheduleOne(
  tx: Context,
  projectId: string,
  segments: Segments,
  templates: Templates,
): Promise<void> {
  const { id } = await createCampaign(tx, projectId, {
    name: "Advent in Germany",
    subject: "Twenty-four small lights",
    templateId: templates.newsletter,
    audienceType: "SEGMENT",
    segmentId: segments.germany,
  });
  const at = new Date(Math.ceil(tx.now().getTime() / DAY_MS) * DAY_MS + 5 * DAY_MS + DAY_MS / 3);
  await sendCampaign(tx, projectId, id, at, OPERATOR);
}

/** At nine or ten in the morning of that day; what was sent today was sent just now. */
function hourOf(tx: Context, daysAgo: number): Date {
  const at = tx.now().getTime() - daysAgo * DAY_MS;
  return new Date(daysAgo < 1 ? at : Math.floor(at / DAY_MS) * DAY_MS + DAY_MS * (9.2 / 24));
}

function sender() {
  return {
    from: FROM,
    fromName: FROM_NAME,
    type: "MARKETING" as const,
    preheader: "A short letter from Morrow & Pine",
  };
}

function audience(to?: Part): Pick<CampaignInput, "audienceType" | "audienceCondition"> {
  if (!to) return { audienceType: "ALL" };
  const [[key, value]] = Object.entries(to) as [[string, string]];
  const filters = [{ field: `data.${key}`, operator: "equals", value }];
  return { audienceType: "FILTERED", audienceCondition: { logic: "AND", groups: [{ filters }] } };
}
