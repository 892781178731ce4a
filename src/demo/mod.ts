// `bun run admin demo`: a shop with its contacts, 90 days of their events, campaigns and workflows with their mails.
import { createProject, type NewProject } from "../accounts/projects/mod.ts";
import { type Context, inTransaction, patiently } from "../context.ts";
import { mjmlHere } from "../content/mjml/in_process.ts";
import { q } from "../db/queries.ts";
import { recountProject } from "../insight/counts/audit.ts";
import { analyzeEvents, makePastPartitions } from "../insight/partitions.ts";
import { addAccount, addHistory } from "./_account.ts";
import { addCampaigns, scheduleOne } from "./_campaigns.ts";
import { addPictures, addTemplates } from "./_content.ts";
import { addSegments, fillSegments } from "./_segments.ts";
import { addWorkflows, enableWorkflows } from "./_workflows.ts";
import { DOMAIN, FIRST_NAMES, LAST_NAMES, LINKS, PLACES, PRODUCTS, SUPPRESSED } from "./_words.ts";

/** What the demo is made of. The same seed gives the same shop, with times that count back from now. */
export interface DemoOptions {
  /** The project that it goes into; left out: the one called Demo, which is made if there is none. */
  projectId?: string | undefined;
  contacts: number;
  seed: number;
}

/** What was made. The keys of a project are there where it is new. */
export interface Demo {
  projectId: string;
  project?: NewProject;
  contacts: number;
}

const NAME = "Demo";
const DAYS = 90;
const DAY_MS = 86_400_000;
/** What is drawn with one seed has nothing to do with what is drawn with the next. */
const DRAWS = 1_000_000;

/**
 * Fills a project with a shop. Its mails are history: none is sent, and none is due. All of it is one transaction, except
 * for the pictures; its counters are made in the end. Throws if the project has contacts.
 */
export async function createDemo(ctx: Context, options: DemoOptions): Promise<Demo> {
  // The bodies are our own, and this process ends with the demo.
  const patient = { ...patiently(ctx), mjml: mjmlHere };
  const { projectId, project } = await projectFor(patient, options);
  await makePastPartitions(patient, new Date(ctx.now().getTime() - (DAYS + 1) * DAY_MS));
  const pictures = await addPictures(patient, projectId);
  // The clock is frozen: whatever is counted back from now is counted back from the same moment.
  const now = ctx.now();
  await inTransaction(patient, async (open) => {
    const tx = { ...open, now: () => now };
    await q.recounts.takeTime(tx);
    await q.demo.planForMany(tx);
    await q.projects.hold(tx, { projectId });
    await assertEmpty(tx, projectId);
    await fill(tx, projectId, pictures, options);
    await recountProject(tx, projectId);
  });
  await q.demo.analyze(patient);
  await analyzeEvents(patient);
  return { projectId, ...(project && { project }), contacts: options.contacts };
}

async function projectFor(ctx: Context, { projectId }: DemoOptions) {
  const id = projectId ?? (await q.demo.projectNamed(ctx, { name: NAME }))?.id;
  if (id !== undefined) {
    await assertEmpty(ctx, id);
    return { projectId: id };
  }
  const project = await createProject(ctx, NAME);
  return { projectId: project.id, project };
}

async function assertEmpty(ctx: Context, projectId: string): Promise<void> {
  const { hasContacts, hasDemo } = await q.demo.standing(ctx, { projectId });
  if (hasDemo) {
    throw new Error(
      `Cannot make the demo twice in the project ${projectId}: name another one with --project`,
    );
  }
  if (hasContacts) {
    throw new Error(
      `Cannot make the demo in the project ${projectId}: it has contacts. Name an empty one with --project`,
    );
  }
}

async function fill(tx: Context, projectId: string, pictures: Record<string, string>, options: DemoOptions) {
  const seed = options.seed * DRAWS;
  const given = { projectId, seed, now: tx.now() };
  await addAccount(tx, projectId);
  const templates = await addTemplates(tx, projectId, pictures);
  await q.demo.addContacts(tx, {
    ...given,
    contacts: options.contacts,
    firstNames: FIRST_NAMES,
    lastNames: LAST_NAMES,
    places: PLACES,
  });
  await q.demo.analyzeContacts(tx);
  const products = PRODUCTS.map(({ name }) => name);
  await q.demo.skipTriggers(tx);
  await q.demo.addEvents(tx, { ...given, products, prices: PRODUCTS.map(({ price }) => price) });
  await q.demo.heedTriggers(tx);
  await q.demo.totalOrders(tx, { projectId });
  const segments = await addSegments(tx, projectId);
  const workflows = await addWorkflows(tx, projectId, templates, seed);
  const campaigns = await addCampaigns(tx, projectId, pictures, segments, templates);
  const notices = [
    { event_name: "ordered", template_id: templates.order, subject: "Your order {{event.orderNumber}}" },
    {
      event_name: "order shipped",
      template_id: templates.shipped,
      subject: "Order {{event.orderNumber}} is on its way",
    },
  ];
  for (const { event_name: eventName, template_id: templateId, subject } of notices) {
    await q.demoMails.addContents(tx, { projectId, eventName, templateId, subject });
  }
  const rows = campaigns.map(({ contentId, at, ...row }) => ({
    ...row,
    content_id: contentId,
    at: at.toISOString(),
  }));
  await q.demoMails.addMails(tx, {
    ...given,
    campaigns: rows,
    steps: workflows.sending,
    notices,
    domain: DOMAIN,
  });
  await q.demo.analyzeMails(tx);
  await q.demo.skipTriggers(tx);
  await q.demoMails.addEvents(tx, { projectId, links: LINKS });
  await q.demo.heedTriggers(tx);
  await q.demoMails.finishCampaigns(tx, { projectId, campaigns: rows });
  await q.demoMails.countLinks(tx, { projectId });
  await q.demoMails.countUsage(tx, { projectId });
  await q.demoMails.countReputation(tx, { projectId });
  await q.demo.leave(tx, { projectId, addresses: SUPPRESSED, now: tx.now() });
  await fillSegments(tx, projectId, segments, seed);
  await enableWorkflows(tx, projectId, workflows, segments);
  await scheduleOne(tx, projectId, segments, templates);
  await addHistory(tx, projectId, campaigns);
}
