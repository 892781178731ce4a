// What is wrong with a workflow as it stands: a draft shows it, and what is an error keeps it from being enabled.
import { knownSources } from "../../audience/conditions/sources.ts";
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { FieldError } from "../../problem/mod.ts";
import { type Graph, type GraphStep, triggerOf } from "../graph.ts";
import { stepTypeOf } from "../steps/mod.ts";
import { deadEnds } from "./dead_ends.ts";
import { reachedSteps } from "./rules.ts";
import { missingTrigger, type TriggerConfig, type TriggerType } from "./trigger.ts";

/** Something that is wrong with a workflow. */
export interface WorkflowFinding {
  /** An error keeps it from being enabled; a warning does not. */
  level: "error" | "warning";
  /** The step that it is about; null for the workflow. */
  stepId: string | null;
  /** A dot path, such as `triggerConfig.eventName` or `config.url`; null for the whole. */
  field: string | null;
  message: string;
}

/** A workflow, as far as it is checked. */
export interface Examined {
  graph: Graph;
  /** Steps without a config: something is wrong with it, which is told elsewhere. */
  unread?: ReadonlySet<string>;
  triggerType: TriggerType;
  triggerConfig: TriggerConfig;
}

/** All that is wrong with a workflow: errors first. */
export async function findingsOf(
  ctx: Context,
  projectId: string,
  workflow: Examined,
): Promise<WorkflowFinding[]> {
  const { graph, triggerType, triggerConfig, unread = new Set() } = workflow;
  const read = graph.steps.filter(({ id }) => !unread.has(id));
  const reached = reachedSteps(graph);
  const trigger = triggerOf(graph);
  const isEmpty = graph.transitions.every(({ from }) => from !== trigger.id);
  const segments = await q.segments.conditions(ctx, { projectId });
  const findings: WorkflowFinding[] = [
    ...missingTrigger(triggerType, triggerConfig).map((error) => ofError(trigger.id, error)),
    ...(isEmpty ? [fault(null, "The trigger leads to no step: nothing would happen")] : []),
    ...graph.steps
      .filter(({ id }) => !reached.has(id))
      .map(({ id, name }) => warning(id, `Nothing leads to "${name}"`)),
    ...read.filter(({ id }) => reached.has(id)).flatMap((step) => stepFindings(ctx, graph, step)),
    ...lostContacts({ ...graph, steps: read }, reached),
    ...(await senderFindings(ctx, projectId, read)),
  ];
  const known = { segments, sources: await knownSources(ctx, projectId, read) };
  for (const step of read) {
    const wrong = stepTypeOf(step).referenceFaults?.(step.config, known) ?? [];
    findings.push(...wrong.map((error) => ofError(step.id, error)));
  }
  return findings.toSorted((a, b) => Number(a.level === "warning") - Number(b.level === "warning"));
}

function stepFindings(ctx: Context, graph: Graph, step: GraphStep): WorkflowFinding[] {
  const { mustNameBranch, unfit, advice } = stepTypeOf(step);
  const isOpen = mustNameBranch && graph.transitions.every(({ from }) => from !== step.id);
  return [
    ...(isOpen ? [fault(step.id, `"${step.name}" decides, and none of its branches leads anywhere`)] : []),
    ...(unfit?.(step.config, ctx.config) ?? []).map((error) => ofError(step.id, error)),
    ...(advice?.(step.config, ctx.now()) ?? []).map(({ field, message }) => ({
      ...warning(step.id, message),
      field,
    })),
  ];
}

/** As the console's canvas calls those branches that every step of a type has. */
export const BRANCH_NAMES: ReadonlyMap<string, string> = new Map([
  ["yes", "Yes"],
  ["no", "No"],
  ["event", "It happened"],
  ["timeout", "Time is up"],
  ["default", "None of them"],
]);

/** As the author calls it, or as the canvas does, with what transitions say where that is another word. */
function nameOfBranch({ config }: GraphStep, branch: string): string {
  const own = (config as { branches?: { id: string; name: string }[] } | undefined)?.branches;
  const called = own?.find(({ id }) => id === branch)?.name;
  if (called) return `"${called}"`;
  const name = BRANCH_NAMES.get(branch) ?? branch;
  const isOther = name.toLowerCase() !== branch.toLowerCase();
  return isOther ? `"${name}" (${branch})` : `"${name}"`;
}

/** Where contacts end, or go round forever, though other ways lead on. */
function lostContacts(graph: Graph, reached: ReadonlySet<string>): WorkflowFinding[] {
  const { open, caught } = deadEnds(graph, reached);
  return [
    ...open.map(({ step, branches }) =>
      warning(
        step.id,
        `Nothing follows on ${branches.map((branch) => nameOfBranch(step, branch)).join(" and ")} of "${step.name}": contacts end there`,
      ),
    ),
    ...caught.map(({ id, name }) =>
      warning(id, `Contacts who reach "${name}" go round forever: no branch leads out of the loop`),
    ),
  ];
}

async function senderFindings(
  ctx: Context,
  projectId: string,
  steps: GraphStep[],
): Promise<WorkflowFinding[]> {
  const sending = steps.filter((step) => stepTypeOf(step).sendsTemplate);
  if (sending.length === 0) return [];
  const templateIds = [...new Set(sending.flatMap(({ templateId }) => templateId ?? []))];
  const templates = new Map(
    (await q.workflowGraphs.senders(ctx, { projectId, templateIds })).map((row) => [row.id, row]),
  );
  return sending.flatMap(({ id, name, templateId }) => {
    const template = templates.get(templateId?.toLowerCase() ?? "");
    if (!template) return [{ ...fault(id, `"${name}" has no template`), field: "templateId" }];
    const unverified = `The domain of the sender of "${template.name}" is not verified: its mails will fail`;
    const noWayOut = `"${template.name}" has no link to unsubscribe: add one, or make it MARKETING`;
    return [
      ...(template.isVerified ? [] : [warning(id, unverified)]),
      ...(template.lacksUnsubscribe ? [{ ...warning(id, noWayOut), field: "templateId" }] : []),
    ];
  });
}

function fault(stepId: string | null, message: string): WorkflowFinding {
  return { level: "error", stepId, field: null, message };
}

function warning(stepId: string | null, message: string): WorkflowFinding {
  return { level: "warning", stepId, field: null, message };
}

function ofError(stepId: string, { field, message }: FieldError): WorkflowFinding {
  return { level: "error", stepId, field, message };
}
