// What is wrong with a workflow as it stands: a draft shows it, and what is an error keeps it from being enabled.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import type { FieldError } from "../../problem.ts";
import { type Graph, type GraphStep, triggerOf } from "../graph.ts";
import { stepTypeOf } from "../steps/mod.ts";
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

/** A workflow, as far as it is looked at. */
export interface Examined {
  graph: Graph;
  triggerType: TriggerType;
  triggerConfig: TriggerConfig;
}

/** All that is wrong with a workflow: errors first. */
export async function findingsOf(
  ctx: Context,
  projectId: string,
  workflow: Examined,
): Promise<WorkflowFinding[]> {
  const { graph, triggerType, triggerConfig } = workflow;
  const reached = reachedSteps(graph);
  const trigger = triggerOf(graph);
  const isEmpty = graph.transitions.every(({ from }) => from !== trigger.id);
  const segments = await q.segments.conditions(ctx, { projectId });
  const findings: WorkflowFinding[] = [
    ...missingTrigger(triggerType, triggerConfig).map((error) => ofError(trigger.id, error)),
    ...(isEmpty ? [fault(null, "The trigger leads to no step: nothing would happen")] : []),
    ...graph.steps.flatMap((step) => stepFindings(ctx, graph, step, reached)),
    ...(await senderFindings(ctx, projectId, graph)),
  ];
  for (const step of graph.steps) {
    const wrong = (await stepTypeOf(step).segmentFaults?.(step.config, async () => segments)) ?? [];
    findings.push(...wrong.map((error) => ofError(step.id, error)));
  }
  return findings.toSorted((a, b) => Number(a.level === "warning") - Number(b.level === "warning"));
}

function stepFindings(
  { config: settings }: Context,
  graph: Graph,
  step: GraphStep,
  reached: ReadonlySet<string>,
): WorkflowFinding[] {
  const { mustNameBranch, unfit } = stepTypeOf(step);
  if (!reached.has(step.id)) return [warning(step.id, `Nothing leads to "${step.name}"`)];
  const isOpen = mustNameBranch && graph.transitions.every(({ from }) => from !== step.id);
  return [
    ...(isOpen ? [fault(step.id, `"${step.name}" decides, and none of its branches leads anywhere`)] : []),
    ...(unfit?.(step.config, settings) ?? []).map((error) => ofError(step.id, error)),
  ];
}

async function senderFindings(ctx: Context, projectId: string, graph: Graph): Promise<WorkflowFinding[]> {
  const sending = graph.steps.filter((step) => stepTypeOf(step).sendsTemplate);
  if (sending.length === 0) return [];
  const templateIds = [...new Set(sending.flatMap(({ templateId }) => templateId ?? []))];
  const templates = new Map(
    (await q.workflowGraphs.senders(ctx, { projectId, templateIds })).map((row) => [row.id, row]),
  );
  return sending.flatMap(({ id, name, templateId }) => {
    const template = templates.get(templateId ?? "");
    if (!template) return [{ ...fault(id, `"${name}" has no template`), field: "templateId" }];
    if (template.isVerified) return [];
    return [
      warning(id, `The domain of the sender of "${template.name}" is not verified: its mails will fail`),
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
