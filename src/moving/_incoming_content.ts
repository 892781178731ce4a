// Segments, templates, campaigns and workflows: one at a time, each a commit of its own. Whatever is here already, by its name
// and its words, is not made twice.
import { createSegment } from "../audience/segments/mod.ts";
import { createWorkflow } from "../automation/workflows/mod.ts";
import { getGraph, saveGraph } from "../automation/workflows/graph_document.ts";
import type { GivenGraph } from "../automation/workflows/given_graph.ts";
import { createTemplate } from "../content/templates.ts";
import { isAlias, MAX_ALIAS } from "../content/template_fields.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import { NOBODY } from "../edits.ts";
import { createCampaign } from "../sending/campaigns/mod.ts";
import {
  type Incoming,
  type IncomingCampaign,
  type IncomingSegment,
  type IncomingTemplate,
  type IncomingWorkflow,
  SourceFault,
  translated,
} from "./incoming_types.ts";

/** How long texts may be. The columns and the requests of the API have the same limits. */
const MAX_LENGTHS = {
  name: 255,
  description: 1_000,
  subject: 998,
  body: 1_048_576,
  fromName: 255,
  eventName: 255,
};
const MAX_SEGMENT_NAME = 100;

/** Takes a segment in: a list, or a condition. */
export async function takeSegment(tx: Context, incoming: Incoming, segment: IncomingSegment): Promise<void> {
  const { projectId, dryRun, counts, newIds, leftOut } = incoming;
  const { id, name, description = null, condition, isStatic, isTracked } = segment;
  assertLengths(segment, { name: MAX_SEGMENT_NAME });
  const type = isStatic ? "STATIC" : "DYNAMIC";
  if (isTracked) {
    const why = "its entry events would start workflows: switch it on when they are ready";
    leftOut.push({ what: `tracking of the segment ${name}`, why });
  }
  const known = await q.incoming.segment(tx, { projectId, name, type });
  counts.segments[known ? "existing" : "created"] += 1;
  if (known) newIds.push({ theirs: id, ours: known.id, isList: isStatic });
  if (known || dryRun) return;
  const made = await createSegment(tx, projectId, {
    name,
    description,
    type,
    condition: translated(incoming, condition) as never,
    trackMembership: false,
  });
  newIds.push({ theirs: id, ours: made.id, isList: isStatic });
}

/** Takes a template in. */
export async function takeTemplate(
  tx: Context,
  incoming: Incoming,
  template: IncomingTemplate,
): Promise<void> {
  const { projectId, dryRun, counts, newIds } = incoming;
  const { id, alias: _, ...input } = template;
  const { name, subject, body } = input;
  assertLengths(input);
  const known = await q.incoming.template(tx, { projectId, name, subject, body });
  counts.templates[known ? "existing" : "created"] += 1;
  if (known) newIds.push({ theirs: id, ours: known.id, isList: false });
  const alias = known ? null : await aliasOf(tx, incoming, template);
  if (known || dryRun) return;
  const made = await createTemplate(tx, projectId, { ...input, alias });
  newIds.push({ theirs: id, ours: made.id, isList: false });
}

/** What applications call it there; null, and left out, where it cannot be its alias here. */
async function aliasOf(
  tx: Context,
  { projectId, leftOut }: Incoming,
  { name, alias = null }: IncomingTemplate,
): Promise<string | null> {
  if (alias === null || alias === "") return null;
  const what = `the alias ${alias.slice(0, MAX_ALIAS)} of the template ${name}`;
  if (!isAlias(alias)) {
    leftOut.push({ what, why: "an alias is letters of ASCII, digits, dots, _ and -, and no UUID" });
    return null;
  }
  if ((await q.templates.byAliases(tx, { projectId, aliases: [alias] })).length === 0) return alias;
  leftOut.push({
    what,
    why: "another template has it: name this one by its id, or give it an alias of its own",
  });
  return null;
}

/** Takes a campaign in, as a draft. */
export async function takeCampaign(
  tx: Context,
  incoming: Incoming,
  campaign: IncomingCampaign,
): Promise<void> {
  const { projectId, dryRun, counts, ids } = incoming;
  const { id: _, segmentId = null, audienceCondition = null, ...input } = campaign;
  const { name, subject, body } = input;
  assertLengths(input);
  const known = await q.incoming.campaign(tx, { projectId, name, subject, body });
  counts.campaigns[known ? "existing" : "created"] += 1;
  if (known || dryRun) return;
  await createCampaign(tx, projectId, {
    ...input,
    segmentId: segmentId === null ? null : (ids.get(segmentId) ?? segmentId),
    audienceCondition: translated(incoming, audienceCondition) as never,
  });
}

/** Takes a workflow in with its graph, disabled: not at all where one of its steps cannot be used. */
export async function takeWorkflow(
  tx: Context,
  incoming: Incoming,
  workflow: IncomingWorkflow,
): Promise<void> {
  const { projectId, dryRun, counts } = incoming;
  const { name, description = null, eventName, allowReentry } = workflow;
  assertLengths(workflow);
  const known = await q.incoming.workflow(tx, {
    projectId,
    name: name.trim(),
    eventName: eventName.trim(),
  });
  counts.workflows[known ? "existing" : "created"] += 1;
  if (known || dryRun) return;
  const { id } = await createWorkflow(tx, projectId, { name, description, eventName, allowReentry });
  const { version, steps: begun } = await getGraph(tx, projectId, id);
  await saveGraph(tx, projectId, id, { version, ...graphOf(incoming, workflow, begun[0]!) }, NOBODY);
}

/** The graph with ids of its own; its trigger is the one that the workflow has got. */
function graphOf(
  incoming: Incoming,
  { steps, transitions }: IncomingWorkflow,
  trigger: { id: string },
): Pick<GivenGraph, "steps" | "transitions"> {
  const ids = new Map(
    steps.map(({ id, type }) => [id, type === "TRIGGER" ? trigger.id : crypto.randomUUID()]),
  );
  const given = steps.map(({ id, templateId, ...step }) => ({
    ...translated(incoming, { ...step, templateId }),
    id: ids.get(id)!,
  }));
  return {
    steps: given as unknown as GivenGraph["steps"],
    transitions: transitions.map(({ from, to, ...way }) => ({
      ...way,
      from: ids.get(from) ?? from,
      to: ids.get(to) ?? to,
    })),
  };
}

/** Throws a SourceFault for a text that is too long, or a name that is none. */
function assertLengths(given: object, limits: Partial<typeof MAX_LENGTHS> = {}): void {
  const texts = given as Record<string, unknown>;
  for (const [field, limit] of Object.entries({ ...MAX_LENGTHS, ...limits })) {
    const text = texts[field];
    if (typeof text !== "string") continue;
    if (text.length > limit) throw new SourceFault(`its ${field} has more than ${limit} characters`);
    if ((field === "name" || field === "eventName") && text.trim() === "") {
      throw new SourceFault(`its ${field} is empty`);
    }
  }
}
