// The check before a campaign is sent: what would not arrive, not work, or look wrong. Nothing is sent by it, and nothing
// changed.
import { bareVariables } from "../../content/handlebars/bare_variables.ts";
import { compileTemplate } from "../../content/handlebars/mod.ts";
import { withPreheader } from "../../content/preheader.ts";
import { readReferences } from "../../content/references.ts";
import { type Context, newId, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type FairLine, newFairLine } from "../../fair_line.ts";
import type { ReadyMail } from "../../mail/mailer.ts";
import { createPauses } from "../../pauses.ts";
import { problems } from "../../problem/mod.ts";
import type { CampaignAudience } from "../campaigns/audience.ts";
import { type Campaign, getCampaign } from "../campaigns/mod.ts";
import { countReach } from "../campaigns/reach.ts";
import { prepareContent } from "../compose/mod.ts";
import { checkAudience, checkSuppressed, checkUsageLimit, checkVariables, sampleOf } from "./_audience.ts";
import { type CampaignCheck, CHECK_IDS } from "./_check.ts";
import { checkImages, checkPostalAddress, checkSize, checkText, checkUnsubscribe } from "./_content.ts";
import { checkLinks, type Patience } from "./_links.ts";
import { checkSender } from "./_sender.ts";
import { checkSpam } from "./_spam.ts";
import { checkSubject } from "./_subject.ts";

export { type CampaignCheck, CHECK_IDS, CHECK_LEVELS } from "./_check.ts";
export { MAX_VISITED, VISIT_MS, VISITS_MS } from "./_links.ts";

/** Checks of one process: most of the time each waits for the servers of others. */
const LINE = { maxAtOnce: 8, maxOfOne: 2, maxWaiting: 40, maxWaitingOfOne: 4 };
/** Nobody types meanwhile: this much longer than a live count. */
const COUNT_MS = 1_500;

const lines = perService<FairLine>(() =>
  newFairLine(LINE, {
    ofAll: () => problems.busy("check a campaign"),
    ofOne: () => problems.busy("check a campaign", "of yours"),
  }),
);

/**
 * Looks a campaign over before it is sent, and says what it found, one check for each id. Projects take turns; 429 and 503
 * where too many wait. Throws CAMPAIGN_NOT_FOUND.
 */
export async function checkCampaign(
  ctx: Context,
  projectId: string,
  campaignId: string,
  patience: Patience = {},
): Promise<CampaignCheck[]> {
  const campaign = await getCampaign(ctx, projectId, campaignId);
  return await lines(ctx)(projectId, () => lookOver(ctx, projectId, campaign, patience));
}

async function lookOver(
  ctx: Context,
  projectId: string,
  campaign: Campaign & { html: string },
  patience: Patience,
): Promise<CampaignCheck[]> {
  const { subject, fromEmail, type } = campaign;
  const audience = campaign as CampaignAudience;
  const source = withPreheader(campaign.html, campaign.preheader);
  const pause = createPauses();
  const references = readReferences(campaign.html);
  await pause();
  const visiting = checkLinks(ctx, projectId, references, patience);
  // It is awaited last: until then its failure would go unnoticed.
  visiting.catch(() => {});
  const paths = [...bareVariables(subject), ...bareVariables(source)];
  await pause();
  const ids = await sampleOf(ctx, projectId, audience);
  const reach = await countReach(ctx, projectId, audience, { patienceMs: COUNT_MS });
  const presented = (await q.projects.presented(ctx, { projectId }))!;
  const { shown, compose } = await show(ctx, projectId, { campaign, source, presented, contactId: ids[0] });
  const scoring = checkSpam(ctx, compose, patience.spamMs);
  scoring.catch(() => {});
  await pause();
  const purpose = { type, variables: compileTemplate(source, "html").variables };
  const checks = [
    checkAudience(reach),
    checkSuppressed(reach),
    await checkUsageLimit(ctx, projectId, reach),
    await checkSender(ctx, projectId, fromEmail),
    checkSubject(shown.subject),
    await checkVariables(ctx, projectId, paths, ids),
    checkImages(references),
    checkText(shown.text, references),
    checkSize(shown.html),
    checkUnsubscribe(purpose),
    checkPostalAddress(purpose, presented.postalAddress),
    await visiting,
    await scoring,
  ].filter((check) => check !== null);
  return checks.toSorted((a, b) => CHECK_IDS.indexOf(a.id) - CHECK_IDS.indexOf(b.id));
}

interface Shown {
  campaign: Campaign & { html: string };
  /** Its HTML with the preheader. */
  source: string;
  presented: { name: string; language: string; postalAddress: string | null; tracking: string };
  /** Whose mail it is; undefined: somebody without data. */
  contactId: string | undefined;
}

/** The mail as one recipient gets it, with the footer and the addresses that clicks are counted by. */
async function show(ctx: Context, projectId: string, { campaign, source, presented, contactId }: Shown) {
  const contact = contactId === undefined ? null : await q.contacts.byId(ctx, { projectId, contactId });
  const { subject, fromEmail, fromName, replyTo, type } = campaign;
  const { name, language, postalAddress, tracking } = presented;
  const isTracked = tracking === "ENABLED" || (tracking === "MARKETING_ONLY" && type !== "TRANSACTIONAL");
  const message = {
    subject,
    fromEmail,
    fromName,
    replyTo,
    type,
    html: source,
    text: null,
    headers: null,
    data: null,
  };
  const origin = {
    projectId,
    sourceType: "CAMPAIGN",
    campaignId: campaign.id,
    templateId: campaign.templateId,
  } as const;
  const sender = { projectName: name, postalAddress, language };
  const content = await prepareContent(
    ctx,
    { ...message, ...origin, ...sender, tracked: isTracked },
    createPauses(),
  );
  const { id, email, subscribed, data } = contact ?? {};
  const known =
    id === undefined ? null : { id, subscribed: subscribed!, data: data as Record<string, unknown> };
  const to = { emailId: newId(ctx), address: email ?? "ada@example.com", toName: null, contact: known };
  const compose = async () => (await content.compose(to, [])) as ReadyMail;
  return { shown: content.show(to), compose };
}
