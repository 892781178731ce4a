// What comes from another service, whatever that is called: contacts with their consent, segments, templates, campaigns and
// workflows. Nothing is sent, no event is recorded and nothing is started by it; run again, it brings what is not here yet.
import { OPERATOR, recordAudit } from "../accounts/audit.ts";
import { addMembers } from "../audience/segments/members.ts";
import { createSegment, listSegments } from "../audience/segments/mod.ts";
import { createTemplate } from "../content/templates.ts";
import { type Context, inTransaction } from "../context.ts";
import { q } from "../db/queries.ts";
import { createCampaign } from "../sending/campaigns/mod.ts";
import { type SuppressionReason, suppressAddresses } from "../sending/suppressions.ts";
import {
  attempt,
  type Incoming,
  type IncomingCampaign,
  type IncomingReport,
  type IncomingSegment,
  type IncomingSource,
  type IncomingTemplate,
  leaveOut,
  translated,
} from "./incoming_types.ts";
import { takeContacts } from "./_incoming_contacts.ts";
import { takeWorkflow } from "./_incoming_workflows.ts";

/**
 * Brings everything of another service into a project. Throws where the project is being reset, and where it tracks segments:
 * their events would start workflows.
 */
export async function takeIn(
  ctx: Context,
  projectId: string,
  source: IncomingSource,
  { dryRun }: { dryRun: boolean },
): Promise<IncomingReport> {
  const state = await q.projectMoves.state(ctx, { projectId });
  if (state?.isBeingReset)
    throw new Error("Cannot import into a project that is being reset: wait until that is done");
  if ((await q.segments.tracked(ctx, { projectId })).length > 0) {
    throw new Error(
      "Cannot import into a project that tracks the membership of segments: it would start workflows. Switch it off first",
    );
  }
  const none = () => ({ created: 0, existing: 0 });
  const report: IncomingReport = {
    from: source.name,
    dryRun,
    contacts: { read: 0, created: 0, changed: 0, unsubscribed: 0, refused: 0 },
    suppressions: 0,
    segments: none(),
    templates: none(),
    campaigns: none(),
    workflows: none(),
    leftOut: [],
    leftOutTotal: 0,
  };
  const incoming: Incoming = { projectId, dryRun, report, ids: new Map() };
  const segments = await source.segments();
  // Lists first, so that contacts find them; conditions are counted once the contacts are here.
  await takeSegments(
    ctx,
    incoming,
    segments.filter(({ isStatic }) => isStatic),
  );
  // Suppressions before the contacts: none of them gets a mail that goes out meanwhile.
  for await (const rows of source.suppressions()) await takeSuppressions(ctx, incoming, rows);
  for await (const contacts of source.contacts()) await takeContacts(ctx, incoming, contacts);
  await takeMembers(ctx, incoming, source, segments);
  await takeSegments(
    ctx,
    incoming,
    segments.filter(({ isStatic }) => !isStatic),
  );
  for (const template of await source.templates()) await takeTemplate(ctx, incoming, template);
  for (const campaign of await source.campaigns()) await takeCampaign(ctx, incoming, campaign);
  for (const workflow of await source.workflows()) await takeWorkflow(ctx, incoming, workflow);
  for (const { what, why } of source.leftOut) leaveOut(incoming, what, why);
  if (!dryRun) {
    const { contacts, leftOutTotal } = report;
    const details = { contacts: contacts.created, leftOut: leftOutTotal };
    await recordAudit(ctx, {
      projectId,
      actor: OPERATOR,
      action: "project.received",
      subject: source.name,
      details,
    });
  }
  return report;
}

async function takeSuppressions(
  ctx: Context,
  { projectId, dryRun, report }: Incoming,
  rows: { email: string; reason: SuppressionReason }[],
): Promise<void> {
  report.suppressions += rows.length;
  if (!dryRun)
    await suppressAddresses(
      ctx,
      rows.map((row) => ({ projectId, ...row, email: row.email.toLowerCase() })),
    );
}

async function takeMembers(
  ctx: Context,
  { projectId, dryRun, ids }: Incoming,
  source: IncomingSource,
  segments: IncomingSegment[],
): Promise<void> {
  if (dryRun) return;
  for (const { id, isStatic } of segments) {
    const segmentId = ids.get(id);
    if (!isStatic || segmentId === undefined) continue;
    for await (const emails of source.members(id)) {
      await addMembers(ctx, projectId, segmentId, { emails, createMissing: false, subscribed: false });
    }
  }
}

async function takeSegments(ctx: Context, incoming: Incoming, segments: IncomingSegment[]): Promise<void> {
  const { projectId, dryRun, report, ids } = incoming;
  const here = new Map((await listSegments(ctx, projectId)).map((segment) => [segment.name, segment]));
  for (const { id, name, description = null, condition, isStatic } of segments) {
    const type = isStatic ? "STATIC" : "DYNAMIC";
    const known = here.get(name);
    if (known?.type === type) {
      ids.set(id, known.id);
      report.segments.existing += 1;
      continue;
    }
    report.segments.created += 1;
    if (dryRun) continue;
    const input = {
      name,
      description,
      type,
      condition: translated(incoming, condition) as never,
      trackMembership: false,
    } as const;
    const made = await attempt(incoming, `segment ${name}`, () => createSegment(ctx, projectId, input));
    if (made) ids.set(id, made.id);
    else report.segments.created -= 1;
  }
}

async function takeTemplate(ctx: Context, incoming: Incoming, template: IncomingTemplate): Promise<void> {
  const { projectId, dryRun, report, ids } = incoming;
  const { id, ...input } = template;
  const known = await q.incoming.template(ctx, {
    projectId,
    name: input.name,
    subject: input.subject,
    body: input.body,
  });
  if (known) {
    ids.set(id, known.id);
    report.templates.existing += 1;
    return;
  }
  const made =
    dryRun ||
    (await attempt(incoming, `template ${input.name}`, () => createTemplate(ctx, projectId, input)));
  if (made) report.templates.created += 1;
  if (made && made !== true) ids.set(id, made.id);
}

async function takeCampaign(ctx: Context, incoming: Incoming, campaign: IncomingCampaign): Promise<void> {
  const { projectId, dryRun, report, ids } = incoming;
  const { id: _, segmentId = null, audienceCondition = null, ...input } = campaign;
  const { name, subject, body } = input;
  if (await q.incoming.campaign(ctx, { projectId, name, subject, body })) {
    report.campaigns.existing += 1;
    return;
  }
  const audience = {
    segmentId: segmentId === null ? null : (ids.get(segmentId) ?? segmentId),
    audienceCondition: translated(incoming, audienceCondition),
  };
  const made =
    dryRun ||
    (await attempt(incoming, `campaign ${name}`, () =>
      inTransaction(ctx, (tx) => createCampaign(tx, projectId, { ...input, ...audience })),
    ));
  if (made) report.campaigns.created += 1;
}
