// What is wrong with a graph before it is saved: all that saving and enabling would refuse, and what may be a mistake.
import { type Context, inTransaction } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { TRIGGER } from "../graph.ts";
import { type Examined, findingsOf, type WorkflowFinding } from "./findings.ts";
import { type GivenGraph, type GivenStep, readGiven } from "./given_graph.ts";
import { toWorkflow } from "./records.ts";
import { toGraph } from "./versions.ts";

/** What may be a mistake in a graph. */
export interface GraphWarning {
  /** The step that it is about; null for the graph. */
  stepId: string | null;
  /** The transition that it is about, by its place in the list, from 0; null for a step or the graph. */
  transition: number | null;
  /** A dot path within the step or the transition, such as `config.url`; null for the whole. */
  field: string | null;
  message: string;
}

/** What is wrong with a graph. */
export interface GraphFault extends GraphWarning {
  /** What would be refused because of it: saving the graph, or enabling the workflow. */
  prevents: "saving" | "enabling";
}

/** A graph that has been checked. */
export interface GraphCheck {
  /** It can be saved, and the workflow enabled. */
  valid: boolean;
  faults: GraphFault[];
  warnings: GraphWarning[];
}

/**
 * Looks at a graph as saving it would, or at the one that is stored, and stores nothing. Each refusal of a save and of enabling is
 * a fault. Throws WORKFLOW_NOT_FOUND.
 */
export async function checkGraph(
  ctx: Context,
  projectId: string,
  workflowId: string,
  given: Pick<GivenGraph, "steps" | "transitions"> | null,
): Promise<GraphCheck> {
  return await inTransaction(ctx, async (tx) => {
    const row = await q.workflows.withGraph(tx, { projectId, workflowId });
    if (!row) throw problems.workflowNotFound(workflowId);
    const before = toGraph(row);
    const { triggerType, triggerConfig } = toWorkflow(row);
    const trigger = { triggerType, triggerConfig };
    if (given === null) return checked([], await findingsOf(tx, projectId, { ...trigger, graph: before }));
    const steps = given.steps.map((step) => ({ ...step, id: step.id.toLowerCase() }));
    const read = await readGiven(
      tx,
      projectId,
      { steps, transitions: given.transitions },
      { before, isDraft: !row.enabled },
    );
    const faults = [...blankNames(steps), ...read.errors].map((error) => toFault(error, { ...given, steps }));
    return checked(faults, await findingsIn(tx, projectId, { ...trigger, ...read }));
  });
}

/** Without a trigger nobody can tell where a graph begins. */
async function findingsIn(tx: Context, projectId: string, examined: Examined): Promise<WorkflowFinding[]> {
  const isWhole = examined.graph.steps.some(({ type }) => type === TRIGGER);
  return isWhole ? await findingsOf(tx, projectId, examined) : [];
}

function checked(refused: GraphFault[], findings: WorkflowFinding[]): GraphCheck {
  const ofSteps = refused.filter(({ transition }) => transition === null);
  const told = new Set(ofSteps.map(({ stepId, field }) => `${stepId} ${field}`));
  const found = Map.groupBy(findings, ({ level }) => level);
  const shown = ({ stepId, field, message }: WorkflowFinding) => ({
    stepId,
    transition: null,
    field,
    message,
  });
  const faults = [
    ...refused,
    ...(found.get("error") ?? [])
      .filter(({ stepId, field }) => !told.has(`${stepId} ${field}`))
      .map((finding) => ({ ...shown(finding), prevents: "enabling" as const })),
  ];
  return { valid: faults.length === 0, faults, warnings: (found.get("warning") ?? []).map(shown) };
}

/** While a step is being drawn it may have no name yet, which no request can save. */
function blankNames(steps: GivenStep[]): FieldError[] {
  return steps.flatMap(({ name }, n) =>
    name.trim() === ""
      ? [{ field: `steps.${n}.name`, code: "required", message: "Give the step a name" }]
      : [],
  );
}

/** An error of a request, at the step or the transition that it is about. */
function toFault(
  { field, message }: FieldError,
  given: Pick<GivenGraph, "steps" | "transitions">,
): GraphFault {
  const [, list, place, rest = null] = /^(steps|transitions)\.(\d+)(?:\.(.+))?$/s.exec(field) ?? [];
  const prevents = "saving";
  if (list === undefined) return { stepId: null, transition: null, field, message, prevents };
  const n = Number(place);
  if (list === "steps") {
    return { stepId: given.steps[n]!.id, transition: null, field: rest, message, prevents };
  }
  const from = given.transitions[n]!.from.toLowerCase();
  const stepId = given.steps.some(({ id }) => id === from) ? from : null;
  return { stepId, transition: n, field: rest, message, prevents };
}
